// SPDX-License-Identifier: MIT
// Fills in the missing entries of multi-way data. This header is the whole library:
//
//   Entries, Cells, Mode       the data: cells of a K-way tensor and their values
//   side_of_features, side_of_graph
//                              what else is known of the positions of a mode
//   ObservedTensor::create     checks and sorts them
//   fit(tensor, settings)      chooses what the settings leave open, and fits
//   fit_once, tune             fit without choosing; choose by cross-validation
//   Settings, setting_fields   everything that can be said about a fit, and the table that describes it
//   FitResult, FitCallbacks    what comes of a fit, and how to watch and stop it
//   Checkpoint                 a fit that is stopped and goes on later, with the same bits
//   Model, Predictor           the model, and the questions it answers
//   Explainer                  which parts and observed entries a prediction rests on
//   update                     new entries for a model, without fitting again
//   TopFinder                  the best of all cells that a question leaves open
//   rmse, mae, auc, rank_facts how good the answers are
//   certify                    how far a model is from the best over all ranks
//   read_tensor, write_tensor, read_features, read_graph, save_model, load_model, save_checkpoint,
//   load_checkpoint, report_page
//                              files (lacuna::io)
//   set_thread_count, version  the library itself
//
// What the world does wrong (files, text) is a Result; what a caller does wrong is std::invalid_argument;
// values that have no finite answer are a ValueRangeError, a fit that is too large for the machine is a MemoryError, a
// checkpoint of another fit is a CheckpointError; a fit that stops early says why in its FitResult.
// Nothing is printed, and nothing is random but what comes from Settings::seed.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/base/memory_error.hpp>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/evaluate/top.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/method/fit_once.hpp>
#include <lacuna/method/settings.hpp>
#include <lacuna/model/checkpoint.hpp>
#include <lacuna/model/explain.hpp>
#include <lacuna/model/model.hpp>
#include <lacuna/model/side.hpp>
#include <lacuna/model/structure.hpp>
#include <lacuna/model/update.hpp>
#include <lacuna/report/report.hpp>
#include <lacuna/search/fit.hpp>
#include <lacuna/tensor/tensor.hpp>
