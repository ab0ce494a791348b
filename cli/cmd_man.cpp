// SPDX-License-Identifier: MIT
// lacuna man: the manual page, made of the flags as they are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <lacuna/base/base.hpp>

#include "command.hpp"
#include "flag_list.hpp"

namespace lacuna::cli {
namespace {

// As roff takes it: hyphens that can be copied, no backslash, no command at the beginning of a line.
std::string roff(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else
      out += c;
  }
  return !out.empty() && (out[0] == '.' || out[0] == '\'') ? "\\&" + out : out;
}

std::string synopsis_of(const ListedVerb& verb) {
  std::string line = fmt::format(".B lacuna {}\n", roff(verb.name));
  for (const ListedFlag& flag : verb.flags)
    if (flag.positional) line += fmt::format(".I {}\n", roff(flag.names[0]));
  return line + "[\\fIflags\\fR]\n";
}

std::string described(const ListedFlag& flag) {
  std::string names;
  for (const std::string& name : flag.names)
    names += fmt::format("{}\\f{}{}\\fR", names.empty() ? "" : ", ", flag.positional ? 'I' : 'B', roff(name));
  if (!flag.positional && flag.takes_value) names += " \\fIvalue\\fR";
  std::string what = roff(flag.what);
  if (!flag.choices.empty() && what.find(roff(flag.choices.back())) == std::string::npos)
    what += roff(fmt::format(" ({})", fmt::join(flag.choices, ", ")));
  if (!flag.standard.empty()) what += roff(fmt::format("; unless given: {}", flag.standard));
  return fmt::format(".TP\n{}\n{}\n", names, what);
}

constexpr const char* kManEnd = R"(.SH EXAMPLES
.nf
lacuna complete holes.png \-o whole.png
lacuna fit ratings.csv \-o ratings.lac \-\-method als
lacuna predict ratings.lac wanted.csv \-o answers.csv
lacuna top ratings.lac userId=42 \-k 10
lacuna \-\-config settings.ini fit ratings.csv \-o ratings.lac
.fi
.SH FILES
.TP
.I settings.ini
named by \fB\-\-config\fR: a section for each verb, such as [fit], with a line for each flag, such as rank=4,4,3
.TP
.I /usr/libexec/lacuna/lacuna\-formats
the reader of HDF5, NetCDF, TIFF and MATLAB 4 and 7.3 files; found beside lacuna as well
.SH EXIT STATUS
.TP
.B 0
done
.TP
.B 1
a fault of the program
.TP
.B 2
wrong usage
.TP
.B 3
wrong input; the message names the file and the line
.TP
.B 4
not converged, with \fB\-\-strict\fR
.TP
.B 5
it would not fit in memory
.TP
.B 6
an output could not be written
.TP
.B 129, 130, 143
stopped by a signal; a fit saves the best model until then, other verbs leave nothing half\-written
.SH ENVIRONMENT
.TP
.B LACUNA_LIBEXEC
the folder of lacuna\-formats, which reads HDF5, NetCDF, TIFF and MATLAB 7.3 files
.TP
.B LACUNA_FORMATS_TIMEOUT
seconds without progress after which lacuna\-formats is given up
.TP
.B OMP_NUM_THREADS
threads, where \fB\-\-threads\fR says nothing
.SH SEE ALSO
.BR lacuna \ settings ,
.BR lacuna \ methods ,
and the pages in /usr/share/doc/lacuna
)";

std::string man_page(const std::vector<ListedFlag>& common, const std::vector<ListedVerb>& verbs) {
  std::string out = fmt::format(".TH LACUNA 1 \"\" \"lacuna {}\" \"User Commands\"\n", version());
  out += ".SH NAME\nlacuna \\- fills in the missing entries of multi\\-way data\n.SH SYNOPSIS\n";
  for (const ListedVerb& verb : verbs) out += synopsis_of(verb) + ".br\n";
  out +=
      ".B lacuna help\n.I verb\n.SH DESCRIPTION\n"
      "Arrays, pictures, tables and lists of cells with missing entries are completed, predicted and judged "
      "by models of low\n"
      "rank. What is not given is chosen on entries held out. Results go to stdout, everything else to "
      "stderr.\n.SH FLAGS OF ALL VERBS\nThey stand before the verb.\n";
  for (const ListedFlag& flag : common) out += described(flag);
  out += ".TP\n.BI \"help \" verb\nwhat the verb does, and its flags\n.SH VERBS\n";
  for (const ListedVerb& verb : verbs) {
    out += fmt::format(".SS {}\n{}\n", roff(verb.name), roff(verb.what));
    for (const ListedFlag& flag : verb.flags) out += described(flag);
  }
  return out + kManEnd;
}

}  // namespace

Action add_man(CLI::App& app) {
  app.add_subcommand("man", "the manual page, for man -l -");
  return [&app]() -> Result<int> {
    fmt::print("{}", man_page(list_common(app), list_verbs(app)));
    return 0;
  };
}

}  // namespace lacuna::cli
