// The program: its subcommands and flags. Everything else is in the layers below.

#include "annex/server/check.h"
#include "annex/server/doctor.h"
#include "annex/server/hand_over.h"
#include "annex/server/serve.h"

#include <iostream>
#include <map>
#include <string>
#include <string_view>

#include <CLI/CLI.hpp>
#include <unistd.h>

// What jemalloc reads when it starts (jemalloc(3), "TUNING"): few arenas, since threads are few and every
// arena keeps free memory of its own; and free memory goes back to the system soon, also when nothing
// happens, so that the resident size says what is needed.
extern "C" {
const char* malloc_conf = "narenas:2,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}

namespace {

// Exit codes: 0 for success, 1 for a failure, 2 for a wrong command line.
constexpr int kFailure = 1;
constexpr int kUsage = 2;

// "10m" as seconds.
CLI::AsNumberWithUnit Duration() {
  return CLI::AsNumberWithUnit(std::map<std::string, double>{{"s", 1}, {"m", 60}, {"h", 3600}});
}

void AddServe(CLI::App& app, annex::server::ServeOptions& options, std::string& log_format, int& verbosity) {
  CLI::App* serve =
      app.add_subcommand("serve", "Serve custom resources, on its own or behind a cluster's kube-apiserver");
  serve->add_flag("--standalone", options.standalone,
                  "Serve without a cluster, with an API for definitions and namespaces");
  serve
      ->add_option("--data-dir", options.data_dir,
                   "The folder for the database and certificates (made if it is missing)")
      ->required();
  serve
      ->add_option("--data-dir-wait", options.data_dir_wait,
                   "How long to wait for another process to leave the data directory")
      ->transform(Duration());
  serve->add_option("--listen", options.listen, "ADDRESS:PORT to serve on; port 0 lets the system choose")
      ->default_str("127.0.0.1:8443 standalone, else 0.0.0.0:8443");
  serve->add_option("--definitions", options.definitions_dir,
                    "A folder of CustomResourceDefinitions (YAML or JSON) to serve");
  serve->add_flag(
      "--adopt", options.adopt,
      "Serve the cluster's own CustomResourceDefinitions that have the label annex.dev/serve=true");
  serve->add_option("--kubeconfig", options.kubeconfig,
                    "The cluster to serve behind; without it, the pod's own");
  serve->add_option("--service-namespace", options.service_namespace,
                    "The namespace of the Service that leads to this server");
  serve->add_option("--service-name", options.service_name, "The name of that Service")
      ->capture_default_str();
  serve->add_option("--service-port", options.service_port, "The port of that Service")
      ->capture_default_str();
  serve->add_option("--owner-cluster-role", options.owner_cluster_role,
                    "A ClusterRole that owns what is made in the cluster: it goes when the role is deleted");
  serve->add_option(
      "--ca-secret", options.ca_secret,
      "A Secret in the Service's namespace that keeps the authority of Annex's own certificate");
  serve->add_option("--tls-cert-file", options.tls_cert_file,
                    "A certificate to serve with, instead of one made by Annex (PEM)");
  serve->add_option("--tls-private-key-file", options.tls_private_key_file,
                    "The key of that certificate (PEM)");
  serve->add_option("--tls-san", options.tls_sans,
                    "A further name or address for Annex's own serving certificate");
  serve
      ->add_option("--history-age", options.history_age,
                   "How long changes stay readable for watches and paged lists")
      ->transform(Duration());
  serve->add_option("--history-mib", options.history_mib, "Replaced and deleted objects kept at most")
      ->capture_default_str();
  serve->add_option("--max-request-body-kib", options.max_request_body_kib, "The largest request body")
      ->capture_default_str();
  serve->add_option("--max-connections", options.max_connections, "Open connections at most")
      ->capture_default_str();
  serve->add_option("--threads", options.threads, "I/O threads; 0 for one per processor")
      ->capture_default_str();
  serve->add_option("--logging-format", log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  serve->add_flag("-v,--verbose", verbosity, "Log every request");
}

void AddCheck(CLI::App& app, annex::server::CheckOptions& options) {
  CLI::App* check = app.add_subcommand(
      "check", "Check files of CustomResourceDefinitions; exits with 1 if anything is wrong with them");
  check->add_option("PATH", options.paths, "A file, or a folder of *.yaml, *.yml and *.json")
      ->required()
      ->check(CLI::ExistingPath);
  check
      ->add_option("--against", options.against,
                   "The definitions as they were: changes that break objects or clients are wrong, too")
      ->check(CLI::ExistingPath);
}

void AddClusterAccess(CLI::App& command, annex::server::ClusterAccess& access) {
  command.add_option("--kubeconfig", access.kubeconfig,
                     "The cluster; without it, as kubectl: $KUBECONFIG, ~/.kube/config, the pod's own");
  command.add_option("--server", access.server,
                     "A URL that asks for no credentials, instead: of kubectl proxy, http://127.0.0.1:8001");
  command.add_option("--context", access.context, "A context of the kubeconfig, instead of its current one");
}

// `annex adopt`, `annex release` and `annex purge`.
struct Handovers {
  annex::server::HandOverOptions options;
  bool yes = false;  // nothing is asked
};

void AddHandover(CLI::App& app, const char* name, const char* description, annex::server::Handover what,
                 Handovers& handovers) {
  annex::server::HandOverOptions& options = handovers.options;
  CLI::App* command = app.add_subcommand(name, description);
  command
      ->add_option("GROUP[/VERSION]", options.group, "The group; all of its kinds and versions go together")
      ->required();
  AddClusterAccess(*command, options.access);
  command
      ->add_option("--timeout", options.timeout,
                   "How long to follow what Annex does, which goes on without this command")
      ->transform(Duration())
      ->default_str("1h");
  command->add_flag("--dry-run", options.dry_run,
                    "Only say what would be done, and what is in the way; nothing is changed");
  if (what == annex::server::Handover::kPurge)
    command->add_flag("--yes", handovers.yes, "Do not ask whether it shall really be done");
  command->callback([&options, what] { options.what = what; });
}

void AddHandovers(CLI::App& app, Handovers& handovers) {
  using annex::server::Handover;
  AddHandover(app, "adopt", "Move a group of the cluster's own kinds, with their objects, from etcd to Annex",
              Handover::kAdopt, handovers);
  AddHandover(app, "release", "Move a group that Annex adopted, with its objects, back to etcd",
              Handover::kRelease, handovers);
  AddHandover(app, "purge", "Remove what etcd still has of the objects of an adopted group", Handover::kPurge,
              handovers);
}

void AddDoctor(CLI::App& app, annex::server::DoctorOptions& options) {
  using Format = annex::server::DoctorOptions::Format;
  CLI::App* doctor = app.add_subcommand(
      "doctor",
      "Say what Annex lacks in a cluster, and which of its kinds are worth adopting; exits with 1 if "
      "anything does not work");
  AddClusterAccess(*doctor, options.access);
  doctor->add_option("--service-namespace", options.service_namespace, "The namespace of Annex's Service")
      ->default_str("annex-system");
  doctor->add_option("--service-name", options.service_name, "The name of that Service")
      ->capture_default_str();
  doctor
      ->add_option_function<std::string>(
          "-o,--output",
          [&options](const std::string& name) {
            options.format = name == "json" ? Format::kJson : Format::kText;
          },
          "text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->default_str("text");
}

bool AskOnTerminal(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0) {
    std::cerr << "annex: " << question << " Nobody can be asked here: add --yes if it shall be done\n";
    return false;
  }
  std::cout << question << "\nType \"yes\" to go on: " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "yes";
}

int ExitCode(const annex::base::Result<void>& done) {
  if (done) return 0;
  std::cerr << "annex: " << done.error().message << "\n";
  return done.error().reason == annex::base::Reason::kInvalid ? kUsage : kFailure;
}

int RunHandover(Handovers& handovers) {
  annex::server::HandOverOptions& options = handovers.options;
  options.terminal = isatty(STDOUT_FILENO) != 0;
  options.confirm = [yes = handovers.yes](const std::string& question) {
    return yes || AskOnTerminal(question);
  };
  return ExitCode(annex::server::HandOver(options, std::cout));
}

int RunDoctor(const annex::server::DoctorOptions& options) {
  const auto examined = annex::server::Doctor(options, std::cout);
  if (examined) return *examined ? 0 : kFailure;
  return ExitCode(annex::base::Error(examined.error()));
}

// CLI11 only says that a subcommand is missing, when what stands in its place is none.
int ReportParseError(const CLI::App& app, const CLI::ParseError& error, std::string_view first_argument) {
  const bool names_subcommand = !first_argument.empty() && !first_argument.starts_with('-');
  if (error.get_name() == "RequiredError" && app.get_subcommands().empty() && names_subcommand) {
    std::cerr << "annex: there is no subcommand \"" << first_argument
              << "\"\nRun with --help for more information.\n";
    return kUsage;
  }
  return app.exit(error) == 0 ? 0 : kUsage;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"Annex serves Kubernetes custom resources from SQLite"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "annex " ANNEX_VERSION);
  annex::server::ServeOptions options;
  std::string log_format = "text";
  int verbosity = 0;
  AddServe(app, options, log_format, verbosity);
  annex::server::CheckOptions check_options;
  AddCheck(app, check_options);
  Handovers handovers;
  AddHandovers(app, handovers);
  annex::server::DoctorOptions doctor_options;
  AddDoctor(app, doctor_options);
  app.add_subcommand("version", "Print the version");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return ReportParseError(app, error, argc > 1 ? argv[1] : "");
  }
  if (app.got_subcommand("version")) {
    std::cout << "annex " ANNEX_VERSION "\n";
    return 0;
  }
  if (app.got_subcommand("check")) return annex::server::Check(check_options, std::cout) ? 0 : kFailure;
  for (const char* name : {"adopt", "release", "purge"}) {
    if (app.got_subcommand(name)) return RunHandover(handovers);
  }
  if (app.got_subcommand("doctor")) return RunDoctor(doctor_options);
  if (log_format == "json") options.log_format = annex::base::LogFormat::kJson;
  if (verbosity > 0) options.log_level = annex::base::LogLevel::kDebug;
  return ExitCode(annex::server::Serve(options));
}
