package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// startTimeout bounds how long one server may take until it is ready. Two busy cores need about ten seconds.
const startTimeout = 90 * time.Second

// stopGrace is how long a server may take to end after SIGTERM before it is killed.
const stopGrace = 10 * time.Second

// ClusterOptions says how a cluster is started. The zero value is good for tests.
type ClusterOptions struct {
	// Dir holds certificates, kubeconfigs, logs and etcd's data. Empty means a temporary folder, removed by Stop.
	Dir string
	// Binaries is the folder with the Kubernetes programs. Empty means BinariesDir().
	Binaries string
	// Address is where nodes and pods reach kube-apiserver: an address of this machine. Empty means that there are no nodes, and
	// kube-apiserver listens on the loopback interface alone.
	Address string
	// Durable makes etcd call fsync as in production: for benchmarks. Otherwise a power cut loses data, which no test minds.
	Durable bool
	// APIServerArgs are added to kube-apiserver's command line.
	APIServerArgs []string
	// EtcdArgs are added to etcd's command line.
	EtcdArgs []string
}

// Cluster is a running control plane. Its methods may be called by several goroutines.
type Cluster struct {
	options   ClusterOptions
	pki       pkiFolder
	temporary bool

	clientCA      *Authority
	frontProxyCA  *Authority
	admin         *rest.Config
	address       string
	apiServerArgs []string // of the command line, known once it was started
	etcdURL       string

	mutex             sync.Mutex
	etcd              *Process
	apiServer         *Process
	controllerManager *Process
}

// StartCluster starts etcd and kube-apiserver (with RBAC and the aggregation layer) and returns when the API answers. On
// failure everything that was started is stopped.
func StartCluster(ctx context.Context, options ClusterOptions) (*Cluster, error) {
	c, err := newCluster(options)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := c.makePKI(); err != nil {
		c.Stop()
		return nil, err
	}
	if err := c.startServers(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func newCluster(options ClusterOptions) (*Cluster, error) {
	if options.Binaries == "" {
		dir, err := BinariesDir()
		if err != nil {
			return nil, err
		}
		options.Binaries = dir
	}
	temporary := options.Dir == ""
	if temporary {
		dir, err := os.MkdirTemp("", "annex-cluster-")
		if err != nil {
			return nil, err
		}
		options.Dir = dir
	}
	dir, err := filepath.Abs(options.Dir)
	if err != nil {
		return nil, err
	}
	options.Dir = dir
	// What an earlier cluster left in this folder belongs to its certificates and goes with them.
	for _, name := range []string{"pki", "etcd", "log"} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	c := &Cluster{options: options, pki: pkiFolder(filepath.Join(dir, "pki")), temporary: temporary}
	return c, os.MkdirAll(string(c.pki), 0o755)
}

// Dir returns the folder that holds everything of this cluster.
func (c *Cluster) Dir() string { return c.options.Dir }

// Binary returns the path of one of the Kubernetes programs.
func (c *Cluster) Binary(name string) string { return filepath.Join(c.options.Binaries, name) }

// Address returns kube-apiserver's URL.
func (c *Cluster) Address() string { return c.address }

// Admin returns a configuration with all rights (group system:masters). Clients made from it do not limit their own rate.
func (c *Cluster) Admin() *rest.Config { return rest.CopyConfig(c.admin) }

// ClientCA signs what kube-apiserver accepts as client certificates; its own serving certificate too.
func (c *Cluster) ClientCA() *Authority { return c.clientCA }

// FrontProxyCA signs the certificate with which kube-apiserver vouches for the identity headers that it sends on.
func (c *Cluster) FrontProxyCA() *Authority { return c.frontProxyCA }

// TrustFrontProxies replaces the authorities of which kube-apiserver tells others that they sign its certificate. It reads the file
// again while it runs.
func (c *Cluster) TrustFrontProxies(authorities ...*Authority) error {
	var bundle []byte
	for _, authority := range authorities {
		bundle = append(bundle, authority.CertPEM...)
	}
	return c.pki.write("front-proxy-ca.crt", bundle)
}

// UseFrontProxy gives kube-apiserver a new certificate to vouch with, signed by this authority. It reads the files again while it runs.
func (c *Cluster) UseFrontProxy(authority *Authority) error {
	pair, err := authority.Issue(Leaf{CommonName: "front-proxy-client"})
	if err != nil {
		return err
	}
	c.frontProxyCA = authority
	return c.pki.writePair("front-proxy-client", pair)
}

// User returns a configuration for any user and groups, by a client certificate made on demand.
func (c *Cluster) User(name string, groups ...string) (*rest.Config, error) {
	pair, err := c.clientCA.Issue(Leaf{CommonName: name, Organizations: groups})
	if err != nil {
		return nil, err
	}
	return clientConfig(c.address, c.clientCA.CertPEM, pair), nil
}

// StartControllerManager starts kube-controller-manager. No names means all of its controllers. It returns when the process
// reports health; the controllers then still need a moment to learn which APIs exist.
func (c *Cluster) StartControllerManager(ctx context.Context, controllers ...string) error {
	port, err := FreePort()
	if err != nil {
		return err
	}
	kubeconfig, err := c.KubeconfigFor("kube-controller-manager", "system:kube-controller-manager")
	if err != nil {
		return err
	}
	if len(controllers) == 0 {
		controllers = []string{"*"}
	}
	process, err := c.start("kube-controller-manager",
		"--kubeconfig="+kubeconfig, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig,
		"--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port), "--cert-dir="+c.pki.path("kube-controller-manager"),
		"--leader-elect=false", "--use-service-account-credentials",
		"--service-account-private-key-file="+c.pki.path("service-account.key"), "--root-ca-file="+c.pki.path("ca.crt"),
		"--controllers="+strings.Join(controllers, ","), "--horizontal-pod-autoscaler-sync-period=2s",
		"--resource-quota-sync-period=2s")
	if err != nil {
		return err
	}
	c.mutex.Lock()
	c.controllerManager = process
	c.mutex.Unlock()
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return process.WaitReady(ctx, func(ctx context.Context) error {
		return getOK(ctx, fmt.Sprintf("https://127.0.0.1:%d/healthz", port))
	})
}

// StopControllerManager stops kube-controller-manager, if it runs.
func (c *Cluster) StopControllerManager() {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.controllerManager != nil {
		_ = c.controllerManager.Stop(stopGrace)
		c.controllerManager = nil
	}
}

// Processes returns what runs, for tests of failures and for measuring memory: "etcd", "kube-apiserver" and, if started,
// "kube-controller-manager".
func (c *Cluster) Processes() map[string]*Process {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	all := map[string]*Process{}
	for name, process := range map[string]*Process{"etcd": c.etcd, "kube-apiserver": c.apiServer, "kube-controller-manager": c.controllerManager} {
		if process != nil {
			all[name] = process
		}
	}
	return all
}

// Stop ends all processes, the last started first, and removes a temporary folder. It may be called again.
func (c *Cluster) Stop() {
	c.StopControllerManager()
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.apiServer != nil {
		// An orderly end waits for every open watch; nobody is left here who would profit from it.
		c.apiServer.Kill()
	}
	if c.etcd != nil {
		c.etcd.Kill()
	}
	if c.temporary {
		_ = os.RemoveAll(c.options.Dir)
	}
}

func (c *Cluster) makePKI() error {
	var err error
	if c.clientCA, err = NewAuthority("annex-test-ca"); err != nil {
		return err
	}
	if c.frontProxyCA, err = NewAuthority("annex-test-front-proxy-ca"); err != nil {
		return err
	}
	server, err := c.clientCA.Issue(Leaf{
		CommonName: "kube-apiserver",
		DNSNames:   []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
		IPs:        c.apiServerIPs(),
	})
	if err != nil {
		return err
	}
	toKubelets, err := c.clientCA.Issue(Leaf{CommonName: "kube-apiserver-kubelet-client", Organizations: []string{"system:masters"}})
	if err != nil {
		return err
	}
	tokenKey, tokenPublic, err := newTokenKey()
	if err != nil {
		return err
	}
	return errors.Join(
		c.pki.write("ca.crt", c.clientCA.CertPEM),
		c.TrustFrontProxies(c.frontProxyCA),
		c.UseFrontProxy(c.frontProxyCA),
		c.pki.writePair("kube-apiserver", server),
		c.pki.writePair("kubelet-client", toKubelets),
		c.pki.write("service-account.key", tokenKey),
		c.pki.write("service-account.pub", tokenPublic))
}

func (c *Cluster) apiServerIPs() []net.IP {
	ips := []net.IP{net.ParseIP("127.0.0.1"), net.ParseIP("10.96.0.1")}
	if c.options.Address != "" {
		ips = append(ips, net.ParseIP(c.options.Address))
	}
	return ips
}

// addressArgs says where kube-apiserver listens, and how it and nodes reach each other.
func (c *Cluster) addressArgs() []string {
	if c.options.Address == "" {
		// Endpoints may not name a loopback address, so the Service "kubernetes" gets none.
		return []string{"--bind-address=127.0.0.1", "--advertise-address=192.0.2.1", "--endpoint-reconciler-type=none"}
	}
	return []string{
		"--bind-address=0.0.0.0", "--advertise-address=" + c.options.Address, "--allow-privileged",
		"--kubelet-client-certificate=" + c.pki.path("kubelet-client.crt"), "--kubelet-client-key=" + c.pki.path("kubelet-client.key"),
		"--kubelet-preferred-address-types=InternalIP",
	}
}

func (c *Cluster) startServers(ctx context.Context) error {
	if err := c.startEtcd(ctx); err != nil {
		return err
	}
	port, err := FreePort()
	if err != nil {
		return err
	}
	c.address = fmt.Sprintf("https://%s:%d", cmp.Or(c.options.Address, "127.0.0.1"), port)
	if c.admin, err = c.User("admin", "system:masters"); err != nil {
		return err
	}
	if err := WriteKubeconfig(filepath.Join(c.options.Dir, "admin.kubeconfig"), c.admin); err != nil {
		return err
	}
	args := append(c.addressArgs(),
		"--etcd-servers="+c.etcdURL,
		fmt.Sprintf("--secure-port=%d", port),
		"--service-cluster-ip-range=10.96.0.0/16",
		"--tls-cert-file="+c.pki.path("kube-apiserver.crt"), "--tls-private-key-file="+c.pki.path("kube-apiserver.key"),
		"--client-ca-file="+c.pki.path("ca.crt"),
		"--authorization-mode=Node,RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file="+c.pki.path("service-account.pub"),
		"--service-account-signing-key-file="+c.pki.path("service-account.key"),
		"--requestheader-client-ca-file="+c.pki.path("front-proxy-ca.crt"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--proxy-client-cert-file="+c.pki.path("front-proxy-client.crt"), "--proxy-client-key-file="+c.pki.path("front-proxy-client.key"))
	c.apiServerArgs = append(args, c.options.APIServerArgs...)
	return c.StartAPIServer(ctx)
}

// StartAPIServer starts kube-apiserver again, after its process was killed, at the same address.
func (c *Cluster) StartAPIServer(ctx context.Context) error {
	process, err := c.start("kube-apiserver", c.apiServerArgs...)
	if err != nil {
		return err
	}
	c.mutex.Lock()
	c.apiServer = process
	c.mutex.Unlock()
	client, err := kubernetes.NewForConfig(c.admin)
	if err != nil {
		return err
	}
	return process.WaitReady(ctx, func(ctx context.Context) error {
		_, err := client.Discovery().RESTClient().Get().AbsPath("/readyz").DoRaw(ctx)
		return err
	})
}

func (c *Cluster) startEtcd(ctx context.Context) error {
	clientPort, err := FreePort()
	if err != nil {
		return err
	}
	peerPort, err := FreePort()
	if err != nil {
		return err
	}
	client, peer := fmt.Sprintf("http://127.0.0.1:%d", clientPort), fmt.Sprintf("http://127.0.0.1:%d", peerPort)
	args := append([]string{
		"--data-dir=" + filepath.Join(c.options.Dir, "etcd"), "--log-level=warn",
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=default=" + peer,
	}, c.options.EtcdArgs...)
	if !c.options.Durable {
		args = append(args, "--unsafe-no-fsync")
	}
	if c.etcd, err = c.start("etcd", args...); err != nil {
		return err
	}
	c.etcdURL = client
	return c.etcd.WaitReady(ctx, func(ctx context.Context) error { return getOK(ctx, client+"/health") })
}

func (c *Cluster) start(name string, args ...string) (*Process, error) {
	return StartProcess(Command{Name: name, Path: c.Binary(name), Args: args, Log: filepath.Join(c.options.Dir, "log", name+".log")})
}

// KubeconfigFor writes a kubeconfig for a component, named after file, and returns its path.
func (c *Cluster) KubeconfigFor(file, user string, groups ...string) (string, error) {
	config, err := c.User(user, groups...)
	if err != nil {
		return "", err
	}
	path := filepath.Join(c.options.Dir, file+".kubeconfig")
	return path, WriteKubeconfig(path, config)
}

func clientConfig(address string, ca []byte, pair KeyPair) *rest.Config {
	return &rest.Config{
		Host:            address,
		TLSClientConfig: rest.TLSClientConfig{CAData: ca, CertData: pair.CertPEM, KeyData: pair.KeyPEM},
		QPS:             -1,
	}
}

// WriteKubeconfig writes a kubeconfig that carries all credentials of config in itself.
func WriteKubeconfig(path string, config *rest.Config) error {
	kubeconfig := clientcmdapi.NewConfig()
	kubeconfig.Clusters["test"] = &clientcmdapi.Cluster{
		Server:                   config.Host,
		CertificateAuthorityData: config.CAData,
		CertificateAuthority:     config.CAFile,
		TLSServerName:            config.ServerName,
	}
	kubeconfig.AuthInfos["test"] = &clientcmdapi.AuthInfo{
		ClientCertificateData: config.CertData,
		ClientCertificate:     config.CertFile,
		ClientKeyData:         config.KeyData,
		ClientKey:             config.KeyFile,
		Token:                 config.BearerToken,
	}
	kubeconfig.Contexts["test"] = &clientcmdapi.Context{Cluster: "test", AuthInfo: "test"}
	kubeconfig.CurrentContext = "test"
	return clientcmd.WriteToFile(*kubeconfig, path)
}
