package harness

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

// Authority is a certificate authority that exists only for a test.
type Authority struct {
	Certificate *x509.Certificate
	CertPEM     []byte
	key         crypto.Signer
}

// Leaf says what a certificate is issued for. The zero times mean from a minute ago until tomorrow; no usages mean both
// server and client authentication.
type Leaf struct {
	CommonName    string
	Organizations []string // a client's groups
	DNSNames      []string
	IPs           []net.IP
	NotBefore     time.Time
	NotAfter      time.Time
	Usages        []x509.ExtKeyUsage
}

// KeyPair is a certificate with its private key, both PEM.
type KeyPair struct {
	CertPEM []byte
	KeyPEM  []byte
}

// NewAuthority makes a self-signed certificate authority.
func NewAuthority(commonName string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	template := &x509.Certificate{
		SerialNumber:          serialNumber(),
		Subject:               pkix.Name{CommonName: commonName},
		NotBefore:             time.Now().Add(-time.Minute),
		NotAfter:              time.Now().AddDate(1, 0, 0),
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	certificate, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return &Authority{Certificate: certificate, CertPEM: encodePEM("CERTIFICATE", der), key: key}, nil
}

// Issue makes a new key and a certificate for it, signed by the authority.
func (a *Authority) Issue(leaf Leaf) (KeyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return KeyPair{}, err
	}
	if leaf.NotBefore.IsZero() {
		leaf.NotBefore = time.Now().Add(-time.Minute)
	}
	if leaf.NotAfter.IsZero() {
		leaf.NotAfter = time.Now().Add(24 * time.Hour)
	}
	if leaf.Usages == nil {
		leaf.Usages = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}
	}
	template := &x509.Certificate{
		SerialNumber: serialNumber(),
		Subject:      pkix.Name{CommonName: leaf.CommonName, Organization: leaf.Organizations},
		NotBefore:    leaf.NotBefore,
		NotAfter:     leaf.NotAfter,
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  leaf.Usages,
		DNSNames:     leaf.DNSNames,
		IPAddresses:  leaf.IPs,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.Certificate, key.Public(), a.key)
	if err != nil {
		return KeyPair{}, err
	}
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return KeyPair{}, err
	}
	return KeyPair{CertPEM: encodePEM("CERTIFICATE", der), KeyPEM: encodePEM("PRIVATE KEY", keyDER)}, nil
}

// newTokenKey makes the RSA key that signs service account tokens and returns it with its public half, both PEM.
func newTokenKey() (private, public []byte, err error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return nil, nil, err
	}
	return encodePEM("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(key)), encodePEM("PUBLIC KEY", der), nil
}

func serialNumber() *big.Int {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		panic(err) // the kernel's source of randomness does not fail
	}
	return serial
}

func encodePEM(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// pkiFolder writes files that servers take by path.
type pkiFolder string

func (dir pkiFolder) path(name string) string { return filepath.Join(string(dir), name) }

func (dir pkiFolder) write(name string, data []byte) error {
	return os.WriteFile(dir.path(name), data, 0o600)
}

func (dir pkiFolder) writePair(name string, pair KeyPair) error {
	if err := dir.write(name+".crt", pair.CertPEM); err != nil {
		return err
	}
	return dir.write(name+".key", pair.KeyPEM)
}
