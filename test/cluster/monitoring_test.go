package cluster_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"annex.dev/annex/test/cluster/harness"
)

const monitoring = repository + "/manifests/monitoring/"

// newScraper makes a service account, with the right to read metrics or without, and returns its token.
func newScraper(t *testing.T, name string, mayRead bool) string {
	t.Helper()
	client := must(kubernetes.NewForConfig(shared.cluster.Admin()))(t)
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}
	must(client.CoreV1().ServiceAccounts("default").Create(t.Context(), account, metav1.CreateOptions{}))(t)
	if mayRead {
		role := &rbacv1.ClusterRole{}
		if err := yaml.Unmarshal(must(os.ReadFile(monitoring+"rights.yaml"))(t), role); err != nil {
			t.Fatal(err)
		}
		must(client.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}))(t)
		must(client.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
			Subjects:   []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "default", Name: name}},
		}, metav1.CreateOptions{}))(t)
	}
	review := must(client.CoreV1().ServiceAccounts("default").CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{}))(t)
	return review.Status.Token
}

// scrapeConfig is manifests/monitoring/scrape.yaml with a target instead of the cluster's pods, which Debian's Prometheus cannot
// look for, and with files of this test.
func scrapeConfig(t *testing.T, dir string, annex *harness.Annex, direct *rest.Config, tokens map[string]string) string {
	t.Helper()
	var config map[string]any
	if err := yaml.Unmarshal(must(os.ReadFile(monitoring+"scrape.yaml"))(t), &config); err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("rules.yaml", must(os.ReadFile(monitoring+"rules.yaml"))(t))
	template := config["scrape_configs"].([]any)[0].(map[string]any)
	var jobs []any
	for job, token := range tokens {
		scrape := map[string]any{}
		for key, value := range template {
			scrape[key] = value
		}
		delete(scrape, "kubernetes_sd_configs")
		delete(scrape, "relabel_configs")
		scrape["job_name"], scrape["scrape_interval"] = job, "1s"
		scrape["authorization"] = map[string]any{"credentials_file": write(job+".token", []byte(token))}
		scrape["tls_config"] = map[string]any{"ca_file": write("ca.crt", direct.CAData), "server_name": template["tls_config"].(map[string]any)["server_name"]}
		scrape["static_configs"] = []any{map[string]any{"targets": []any{strings.TrimPrefix(annex.Address(), "https://")}}}
		jobs = append(jobs, scrape)
	}
	config["scrape_configs"], config["global"] = jobs, map[string]any{"evaluation_interval": "1s"}
	return write("prometheus.yaml", must(yaml.Marshal(config))(t))
}

// prometheus is a running one.
type prometheus struct{ address string }

func startPrometheus(t *testing.T, dir, config string) *prometheus {
	t.Helper()
	path := filepath.Join(must(harness.PrometheusDir())(t), "prometheus")
	if _, err := os.Stat(path); err != nil {
		t.Skipf("there is no Prometheus (scripts/prometheus-binaries gets one): %v", err)
	}
	p := &prometheus{address: fmt.Sprintf("127.0.0.1:%d", must(harness.FreePort())(t))}
	process := must(harness.StartProcess(harness.Command{
		Name: "prometheus", Path: path, Log: filepath.Join(dir, "prometheus.log"),
		Args: []string{"--config.file=" + config, "--web.listen-address=" + p.address, "--storage.tsdb.path=" + filepath.Join(dir, "data")},
	}))(t)
	t.Cleanup(func() { _ = process.Stop(10 * time.Second) })
	harness.ShowLogOnFailure(t, process.LogPath())
	return p
}

// ask sends a question to Prometheus' API and reads its data.
func (p *prometheus) ask(ctx context.Context, path string, data any) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.address+path, nil)
	if err != nil {
		return err
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(&struct{ Data any }{data})
}

// number returns the value of an expression that has one.
func (p *prometheus) number(ctx context.Context, expression string) (string, error) {
	var data struct{ Result []struct{ Value [2]any } }
	if err := p.ask(ctx, "/api/v1/query?query="+url.QueryEscape(expression), &data); err != nil {
		return "", err
	}
	if len(data.Result) != 1 {
		return "", fmt.Errorf("%s has %d values", expression, len(data.Result))
	}
	return fmt.Sprint(data.Result[0].Value[1]), nil
}

func TestPrometheusScrapesAnnex(t *testing.T) {
	aggregated := shared.backend(harness.BackendAggregated)
	if aggregated == nil {
		t.Skip("the backend aggregated was not selected")
	}
	annex := aggregated.Annex
	direct := must(annex.Direct(t.Context()))(t)
	dir := t.TempDir()
	tokens := map[string]string{"annex": newScraper(t, "scraper", true), "stranger": newScraper(t, "stranger", false)}
	p := startPrometheus(t, dir, scrapeConfig(t, dir, annex, direct, tokens))
	expect := func(expression, want string) {
		t.Helper()
		harness.Eventually(t, 30*time.Second, func() error {
			got, err := p.number(t.Context(), expression)
			if err == nil && got != want {
				err = fmt.Errorf("%s is %s, want %s", expression, got, want)
			}
			return err
		})
	}
	t.Run("with the rights of manifests/monitoring", func(t *testing.T) {
		expect(`up{job="annex"}`, "1")
		expect(`count(annex_http_connections{job="annex"})`, "1")
	})
	t.Run("and not without", func(t *testing.T) { expect(`up{job="stranger"}`, "0") })
	t.Run("and nothing alerts", func(t *testing.T) {
		var data struct {
			Groups []struct {
				Rules []struct{ Name, State, Health, LastError string }
			}
		}
		harness.Eventually(t, time.Minute, func() error {
			if err := p.ask(t.Context(), "/api/v1/rules", &data); err != nil {
				return err
			}
			for _, group := range data.Groups {
				for _, rule := range group.Rules {
					if rule.Health != "ok" {
						return fmt.Errorf("%s is %s: %s", rule.Name, rule.Health, rule.LastError)
					}
					if rule.State == "firing" {
						t.Errorf("%s fires", rule.Name)
					}
				}
			}
			if len(data.Groups) != 1 {
				return fmt.Errorf("%d groups of rules", len(data.Groups))
			}
			return nil
		})
	})
	t.Run("every metric of the rules and the dashboard is one of Annex's", func(t *testing.T) {
		// Some are there once they have something to say.
		must(convertedToys(t, aggregated, "monitored."+aggregated.Domain).List(t.Context(), metav1.ListOptions{}))(t)
		monitoredMetrics(t, direct, tokens["annex"])
	})
}

// monitoredMetrics compares names in expressions with those that Annex exposes.
func monitoredMetrics(t *testing.T, direct *rest.Config, token string) {
	config := rest.CopyConfig(direct)
	config.BearerToken = token
	client := must(rest.HTTPClientFor(config))(t)
	answer := must(client.Get(direct.Host + "/metrics"))(t)
	defer answer.Body.Close()
	exposed := string(must(io.ReadAll(answer.Body))(t))
	if !regexp.MustCompile(`apiserver_current_inflight_requests\{request_kind="readOnly"\} [1-9]`).MatchString(exposed) {
		t.Error("the request for the metrics is not under way itself")
	}
	own := regexp.MustCompile(`\b(?:annex|apiserver|process|workqueue|etcd|rest|go)_[a-z_]+\b`)
	ending := regexp.MustCompile(`_(?:bucket|sum|count)$`)
	found := 0
	for _, expression := range monitoredExpressions(t) {
		for _, name := range own.FindAllString(expression, -1) {
			found++
			if !strings.Contains(exposed, "# TYPE "+name+" ") && !strings.Contains(exposed, "# TYPE "+ending.ReplaceAllString(name, "")+" histogram") {
				t.Errorf("Annex has no metric %s, of %s", name, expression)
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d names of metrics were found", found)
	}
}

// monitoredExpressions are those of the alerts and of the dashboard.
func monitoredExpressions(t *testing.T) (expressions []string) {
	var rules struct {
		Groups []struct{ Rules []struct{ Expr string } }
	}
	if err := yaml.Unmarshal(must(os.ReadFile(monitoring+"rules.yaml"))(t), &rules); err != nil {
		t.Fatal(err)
	}
	for _, group := range rules.Groups {
		for _, rule := range group.Rules {
			expressions = append(expressions, rule.Expr)
		}
	}
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(must(os.ReadFile(monitoring+"dashboard.json"))(t), &dashboard); err != nil {
		t.Fatal(err)
	}
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			expressions = append(expressions, target.Expr)
		}
	}
	return expressions
}
