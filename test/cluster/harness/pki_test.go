package harness

import (
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"
)

func TestIssuedCertificatesChainToTheirAuthorityOnly(t *testing.T) {
	var pools [2]*x509.CertPool
	var authorities [2]*Authority
	for i := range authorities {
		authority, err := NewAuthority("same name")
		if err != nil {
			t.Fatal(err)
		}
		authorities[i], pools[i] = authority, x509.NewCertPool()
		pools[i].AddCert(authority.Certificate)
	}
	pair, err := authorities[0].Issue(Leaf{CommonName: "x", Organizations: []string{"a", "b"}, NotAfter: time.Now().Add(time.Minute)})
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode(pair.CertPEM)
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	client := []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: pools[0], KeyUsages: client}); err != nil {
		t.Error(err)
	}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: pools[1], KeyUsages: client}); err == nil {
		t.Error("verified by another authority")
	}
	if _, err := certificate.Verify(x509.VerifyOptions{Roots: pools[0], KeyUsages: client, CurrentTime: time.Now().Add(time.Hour)}); err == nil {
		t.Error("verified after its end")
	}
}
