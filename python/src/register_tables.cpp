// SPDX-License-Identifier: MIT
// Tables that offer themselves as Arrow streams (polars, pyarrow, and others), and labels in their order.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>

#include "arrays.hpp"
#include "arrow_stream.hpp"
#include "io/text/labels.hpp"
#include "register.hpp"

namespace lacuna::python {
namespace {

const char* word_for(ColumnKind kind) {
  switch (kind) {
    case ColumnKind::kWhole:
      return "whole";
    case ColumnKind::kNumber:
      return "number";
    case ColumnKind::kText:
      return "text";
    case ColumnKind::kTime:
      return "time";
    case ColumnKind::kNulls:
      return "nulls";
    case ColumnKind::kOther:
      break;
  }
  return "other";
}

// Releases what it holds, once.
template <class Held>
struct Releasing : Held {
  Releasing() : Held{} {}
  Releasing(const Releasing&) = delete;
  Releasing& operator=(const Releasing&) = delete;
  ~Releasing() {
    if (this->release != nullptr) this->release(this);
  }
};

// A stream of chunks, read once.
class ArrowTable {
 public:
  // Takes the stream out of a capsule called "arrow_array_stream".
  explicit ArrowTable(const nb::capsule& capsule) {
    auto* const stream =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
    if (stream == nullptr) throw nb::python_error();
    if (stream->release == nullptr) throw std::invalid_argument("data: this Arrow stream was read before");
    static_cast<ArrowArrayStream&>(stream_) = *stream;
    stream->release = nullptr;
    check(stream_.get_schema(&stream_, &schema_));
    if (std::string_view(schema_.format) != "+s")
      throw std::invalid_argument(
          "data: found an Arrow stream of single arrays, expected a table with columns");
  }

  [[nodiscard]] nb::list columns() const {
    nb::list list;
    for (std::int64_t c = 0; c < schema_.n_children; ++c)
      list.append(nb::make_tuple(schema_.children[c]->name, word_for(kind_of(*schema_.children[c]))));
    return list;
  }

  // The columns at these places, as a list of dicts; the stream is empty afterwards.
  nb::list read(const std::vector<std::int64_t>& places) {
    std::vector<std::unique_ptr<ColumnReader>> readers;
    for (const std::int64_t place : places) {
      if (place < 0 || place >= schema_.n_children) throw nb::index_error("no such column");
      readers.push_back(std::make_unique<ColumnReader>(*schema_.children[place]));
    }
    {
      const nb::gil_scoped_release free;
      while (add_chunk(places, readers)) {
      }
      for (auto& reader : readers) reader->finish();
    }
    nb::list list;
    for (auto& reader : readers) list.append(dict_of(*reader));
    return list;
  }

 private:
  void check(int problem) {
    if (problem == 0) return;
    const char* const why = stream_.get_last_error(&stream_);
    throw std::invalid_argument(std::string("data: its Arrow stream failed: ") +
                                (why != nullptr ? why : "no reason given"));
  }

  bool add_chunk(const std::vector<std::int64_t>& places,
                 std::vector<std::unique_ptr<ColumnReader>>& readers) {
    Releasing<ArrowArray> chunk;
    check(stream_.get_next(&stream_, &chunk));
    if (chunk.release == nullptr) return false;
    if (chunk.n_children != schema_.n_children)
      throw std::invalid_argument("data: a chunk of its Arrow stream has other columns than its schema");
    for (std::size_t i = 0; i < places.size(); ++i) {
      ArrowArray column = *chunk.children[places[i]];  // its rows that the chunk, which may be a slice, has
      if (chunk.offset < 0 || chunk.length < 0 || column.length - chunk.offset < chunk.length)
        throw std::invalid_argument("data: a chunk of its Arrow stream is shorter than it says");
      column.offset += chunk.offset;
      column.length = chunk.length;
      readers[i]->add(column);
    }
    return true;
  }

  static nb::dict dict_of(ColumnReader& reader) {
    nb::dict column;
    column["name"] = reader.name;
    column["kind"] = word_for(reader.kind);
    column["unit"] = reader.unit;
    column["utc"] = reader.utc;
    column["rows"] = reader.rows;
    if (reader.kind == ColumnKind::kText) {
      column["values"] = owned(std::move(reader.codes));
      column["labels"] = std::move(reader.labels);
    } else if (reader.kind == ColumnKind::kNumber) {
      column["values"] = owned(std::move(reader.numbers));
    } else {
      column["values"] = owned(std::move(reader.whole));
    }
    column["nulls"] = owned(std::move(reader.nulls));
    return column;
  }

  Releasing<ArrowArrayStream> stream_;
  Releasing<ArrowSchema> schema_;
};

// Where each of the labels, no two alike, comes in the order that the readers of files put them in.
NumpyVector<Index> label_places(std::vector<std::string> labels) {
  std::vector<Index> places(labels.size());
  std::iota(places.begin(), places.end(), Index{0});
  io::order_labels(labels, places);
  return owned(std::move(places));
}

}  // namespace

void register_tables(nb::module_& m) {
  nb::class_<ArrowTable>(m, "ArrowTable", "A table from an Arrow C stream.")
      .def(nb::init<const nb::capsule&>(), nb::arg("capsule"))
      .def("columns", &ArrowTable::columns, "(name, kind) of each column.")
      .def("read", &ArrowTable::read, nb::arg("places"));
  m.def("label_places", &label_places, nb::arg("labels"));
}

}  // namespace lacuna::python
