// SPDX-License-Identifier: MIT
// Files of tensors, of side information, and of models.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/model/checkpoint.hpp>
#include <lacuna/model/model.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

// Reading and writing partly observed tensors in the formats people have.
//
// Every reader yields the same thing, a TensorFile: the modes, and the cells the file lists in the file's own
// order, with NaN for a cell that is listed but has no value. A sparse file lists the cells it has a line
// for; a dense array or a picture lists all its cells, last mode fastest. The writer takes the same thing
// back.

enum class Format {
  kAuto,      // from the name's ending and the first bytes
  kTns,       // FROSTT: "i j k value" lines, '#' comments; as all text maybe packed: gzip, zstd, xz
  kSptensor,  // Tensor Toolbox text: "sptensor", order, sizes, count, then lines
  kTable,     // CSV, TSV, MovieLens "::" files
  kNpy,       // dense array
  kNpz,       // dense array, or COO (arrays "coords" K x N, "data" N, "shape" K)
  kMat,       // MATLAB v4, v5, v7, v7.3: dense array, N x (K+1) list, or 2-way sparse
  kPicture,   // PNG, JPEG, BMP: row x column [x channel], values 0..1
  kNetcdf,    // a variable, with its dimensions
  kHdf5,      // a dataset, with its dimension scales
  kTiff,      // [page x] row x column [x band], numbers as stored
  kEnvi,      // row x column x band: a header beside a raw file
  kVideo,     // time x row x column [x channel], values 0..1: y4m, others by way of ffmpeg
};

[[nodiscard]] std::string_view format_name(Format format);

struct BinRequest {
  std::string column{};    // by name or 1-based number; empty: the only one that holds dates
  std::int64_t width = 0;  // > 0
  BinUnit unit = BinUnit::kSecond;
};

// Positions of a mode's indices: a text file with a position on each line, in the order of the indices, or
// with a label or index and a position. A position is a number or a time stamp. Header or not.
struct CoordinateRequest {
  std::string mode{};  // by name or 1-based number
  std::string path{};
};

// "7d", "12h", "30m", "45s" or plain seconds -> seconds.
[[nodiscard]] Result<std::int64_t> parse_duration(std::string_view text);

// A duration as above, which makes bins from the first stamp on, or one of the calendar: "1w" (weeks from
// Monday on), "1M", "1Q", "1y". The column is left open.
[[nodiscard]] Result<BinRequest> parse_bin_width(std::string_view text);

struct ReadOptions {
  Format format = Format::kAuto;
  std::optional<int> index_base{};        // 0 or 1; unset: 0 when an index 0 is seen in the file, else 1
  std::vector<Index> shape{};             // empty: the sizes the file states, else the largest index seen
  std::optional<double> missing_value{};  // in a dense file this value, too, means missing
  std::string variable{};                 // .mat, .npz, .nc, .h5: which array; empty: the only one that fits

  // Pictures and dense arrays: a picture or array whose nonzero cells are observed.
  std::string mask{};
  bool invert_mask = false;

  // Tables.
  std::string delimiter{};  // empty: found from the first lines among "::", tab, ',', ';', '|', space
  // Before the decimals of values and weights: ',' or '.'. Unset: a point, or a comma where the numbers can
  // be read in no other way.
  std::optional<char> decimal{};
  std::optional<bool> header{};        // unset: the first line is one when its value field is not a number
  std::vector<std::string> columns{};  // the mode columns, by name or 1-based number; empty: all the others
  // Empty: "value"/"rating"/... by name, else the last column that is no mode, if it holds numbers. A table
  // without number columns, such as knowledge-graph triples, has the value 1 on each line; "none" asks for
  // that.
  std::string value_column{};
  // How much each line counts, a number >= 0; empty: all 1. Neither a mode nor the value. With known_modes a
  // file may be without it.
  std::string weight_column{};
  // A wide table has a header, and one mode across its columns: their names are its labels. Set: the name of
  // that mode. `columns` say where a row lies; empty: those that hold words or dates, else the first. All
  // others hold values. With known_modes a header with the names of all modes but one, and labels of that, is
  // wide without being told.
  std::optional<std::string> wide{};
  // The columns that hold values, of a mode across the columns that `wide` names, else "variable". All others
  // are modes.
  std::vector<std::string> value_columns{};
  std::vector<BinRequest> bins{};  // time stamps to bin
  // Of time stamps that do not state an offset, and of the calendar: a name such as Europe/Berlin, or an
  // offset such as +01:00. Empty: UTC. With known_modes theirs hold.
  std::string time_zone{};
  // Mode columns whose numbers or time stamps are positions, by name or 1-based number. A column that holds
  // dates only is one without being named.
  std::vector<std::string> positions{};
  bool table_indices = false;  // mode columns hold plain indices, not labels

  std::vector<CoordinateRequest> coordinates{};  // positions of modes, whatever the format

  // Two modes, by name or 1-based number, that are one set of things, such as head and tail: a label, or a
  // number, means the same along both. Empty: of a table without values, two modes most of whose labels are
  // the same words; "none": no modes are. A table of bare triples whose first and last modes are one set has
  // the modes head, relation and tail.
  std::vector<std::string> same{};

  // The modes of a fitted model. When set the file's cells speak of these: labels and time stamps are looked
  // up, index_base must be set by the caller, and lines may leave out the value (NaN then). What the model
  // never saw comes after its own positions: the file's modes are the model's, grown to name it. Where a mode
  // has positions, entries at new ones have coordinates.
  const std::vector<Mode>* known_modes = nullptr;
};

// How a dense file stored its numbers, so that a completed one can be written alike.
struct DenseLayout {
  std::string dtype;           // numpy style: "<f8", "<u2", "|u1"; pictures: "|u1" or "<u2"
  bool fortran_order = false;  // .npy
  std::string variable;        // .mat, .npz, .nc, .h5
  double scale = 1.0;          // stored number = value * scale (pictures: 255 or 65535)
  std::string
      source{};  // .nc, .h5, .tif, ENVI: the file that was read; one written alike keeps what else it holds
  std::string parameters{};  // video: the first line of a y4m file; ENVI: bsq, bil or bip
};

namespace io {
struct TableRows;
}

// How a table was laid out. Column numbers are 0-based.
struct TableLayout {
  std::string delimiter{};            // "," "\t" "::" ...
  std::vector<std::string> header{};  // empty: no header line
  std::vector<int> mode_columns{};    // column of each mode; -1: the one across the columns
  int value_column = -1;              // -1: the file has no value column; of a wide table the first
  int weight_column = -1;             // -1: the file has no weight column
  int columns = 0;                    // how many there are
  char decimal = '.';                 // before the decimals of values and weights
  int wide_mode = -1;  // the mode across the columns of a wide table; -1: it has a line for each cell
  std::vector<int> value_columns{};  // of a wide table, all of them
  std::shared_ptr<const io::TableRows>
      rows{};  // what a wide table's lines were: one written alike keeps what it can
};

struct TensorFile {
  Format format = Format::kTns;
  std::vector<Mode> modes;
  Entries entries;                   // the cells listed, in the file's order, NaN = no value
  int index_base = 1;                // of the file's numbers
  Count missing = 0;                 // how many entries are NaN
  bool dense = false;                // lists every cell, last mode fastest
  DenseLayout layout;                // dense files
  TableLayout table;                 // tables
  std::vector<std::string> notes{};  // sentences about positions that are not used as one might think
};

// Strict: a line that does not parse, an Inf, an index out of range is an error that names file:line:column,
// what was found and what was expected. "-" is the standard input.
Result<TensorFile> read_tensor(const std::string& path, const ReadOptions& options = {});

// Writes to a temporary file in the same folder, syncs, renames: a reader sees the old file or the new one.
// The format is the one asked for, else follows the name's ending; "-" is the standard output, in the format
// that the file was read in. Dense formats need cells() that fit in memory and put NaN in cells
// not listed (an error for formats that cannot hold NaN: pictures and integer arrays say so). Entries with
// weights need a table.
Result<> write_tensor(const std::string& path, const TensorFile& file, Format asked = Format::kAuto);

// Does the name's ending say a format that can hold this file's entries? Asked before the work whose result
// write_tensor is to write.
Result<> check_output_name(const std::string& path, const TensorFile& file, Format asked = Format::kAuto);

// Is the name's ending none of a format that cannot be written, such as .xlsx? Known before anything is read.
Result<> check_output_ending(const std::string& path);

// Where entry number `entry` (0-based, in reading order) of a text file stands: "path:line". For messages
// about entries that were fine one by one, such as a cell that appears twice. Other formats: "path".
[[nodiscard]] std::string locate_entry(const std::string& path, const ReadOptions& options, Count entry);

// Side information of a mode out of files: tables of features, lists of edges.

struct SideFile {
  Count listed = 0;                  // positions or edges
  Index added = 0;                   // positions that the mode did not have before
  std::vector<std::string> notes{};  // sentences about columns that are not used as one might think
};

// What the positions of a mode are called in files.
struct PositionNames {
  int index_base = 1;    // of plain numbers, where the mode has no labels
  bool may_grow = true;  // names that the mode does not have become new positions, at its end
  bool alone = false;    // a table of names without features will do: a graph is to say the rest
};

// A table with a line for each position, at least one of which the mode has: its name in the column called as
// the mode, or else in the first; all others are features. A column of numbers is numbers, one of whole
// numbers with few values categories, too, all else are categories, several of them with '|' between.
// Nothing, NA and the like are not known.
Result<SideFile> read_features(const std::string& path, const PositionNames& names, Mode& mode);

// Lines of two names and maybe a weight >= 0.
Result<SideFile> read_graph(const std::string& path, const PositionNames& names, Mode& mode);

// Models as files.
//
//   offset 0   8 bytes    "LACUNA" 0x00 and the layout's version, 1
//          8   8 bytes    length H of the header, little-endian
//         16   H bytes    header: JSON, padded with spaces so that what follows is 64-byte aligned
//              arrays     raw little-endian, each 64-byte aligned, at the offsets the header states
//     end - 8  8 bytes    checksum: CRC-32 of everything before it, as a 64-bit number
//
// Everything is checked on reading: lengths against the file's size before anything is allocated, the
// checksum, every index against its mode's size. A file of a newer layout is refused by name.

// "-" is the standard output or input.
Result<> save_model(const std::string& path, const Model& model);
Result<Model> load_model(const std::string& path);

// A checkpoint in the same layout, checked likewise. Loading gives `checkpoint` what a fit goes on from; it
// stays as it was where the file is refused.
Result<> save_checkpoint(const std::string& path, const Checkpoint& checkpoint);
Result<> load_checkpoint(const std::string& path, Checkpoint& checkpoint);

// Does the file begin like a model?
[[nodiscard]] bool is_model_file(const std::string& path);

}  // namespace lacuna
