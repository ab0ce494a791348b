// SPDX-License-Identifier: MIT
// From the numbers of a report to its page. What there are no numbers of is left out.
"use strict";
function lacunaReport(main, report) {
  function add(parent, name, text, className) {
    const node = document.createElement(name);
    if (text !== undefined && text !== null) node.textContent = text;
    if (className) node.className = className;
    parent.appendChild(node);
    return node;
  }
  function section(title, note) {
    add(main, "h2", title);
    if (note) add(main, "p", note, "quiet");
    return add(main, "div", null, "plots");
  }
  function table(rows) {
    const body = add(add(main, "table"), "tbody");
    for (const [name, value] of rows) {
      const row = add(body, "tr");
      add(row, "th", name);
      add(row, "td", value);
    }
  }
  // A list of positions and their numbers for each component, side by side.
  function components(view) {
    const row = add(main, "div", null, "lists");
    view.lists.forEach((list, j) => {
      const body = add(add(row, "table"), "tbody");
      add(add(body, "tr"), "th", view.names[j]).colSpan = 2;
      for (const [name, value] of list) {
        const line = add(body, "tr");
        add(line, "td", name);
        add(line, "td", Number(value.toPrecision(3)), "number");
      }
    });
  }
  const has = (list) => Array.isArray(list) && list.some((value) => value !== null);
  const run = report.run || {};

  // Where the model errs, on entries whose values are known.
  function showErrors() {
    if (report.errors.length > 0) {
      const plots = section(`Errors on the ${report.compared} entries`,
                            report.compared === "training" ? "The model was fitted on these: give report --test a file it has not seen." : "");
      if (report.histogram)
        lacunaPlot.bars(plots, { title: "Value minus prediction", xLabel: "value minus prediction", yLabel: "entries", categories: report.histogram.middle,
                                 series: [{ name: "", y: report.histogram.count }] });
      for (const one of report.errors)
        lacunaPlot.lines(plots, { title: `RMSE along ${one.name}`, fromZero: true, names: one.names, yLabel: "RMSE", xLabel: one.together > 1 ? `${one.name}, ${one.together} at a time` : one.name,
                                  series: [{ name: one.name, points: one.x.length > 60, x: one.x, y: one.y }] });
    }
  }
  // Whether intervals keep what they promise.
  function showIntervals() {
    if (report.coverage) {
      const plots = section("Intervals", "Predictions with an interval hold what they promise when the dots lie on the line.");
      lacunaPlot.lines(plots, { title: "Coverage", xLabel: "promised", yLabel: "kept",
                                series: [{ name: "found", x: report.coverage.promised, y: report.coverage.kept },
                                         { name: "promised", x: [0.5, 0.99], y: [0.5, 0.99] }] });
      lacunaPlot.lines(plots, { title: "Width", xLabel: "promised", yLabel: "mean width", fromZero: true,
                                series: [{ name: "width", x: report.coverage.promised, y: report.coverage.width }] });
    }
  }
  function pictures(images) {
    const row = add(main, "div", null, "pictures");
    for (const image of images) {
      const figure = add(row, "figure");
      const picture = add(figure, "img");
      picture.src = image.source;
      picture.alt = image.caption;
      add(figure, "figcaption", image.caption);
    }
  }

  add(main, "h1", report.title);
  add(main, "p", run.train ? `fitted on ${run.train.path}` : "", "lead");
  if (Object.keys(report.scores).length > 0) {
    add(main, "h2", "How good it is");
    table(Object.entries(report.scores));
  }
  if (report.compared === "test") showErrors();
  showIntervals();
  for (const slice of report.pictures) {  // before, after and difference, side by side
    add(main, "h2", slice.title || "Picture");
    pictures(slice.images);
  }

  const history = run.history;
  if (history && has(history.objective)) {
    const plots = section("The fit", "Seconds leave out the time spent measuring.");
    const x = history.seconds;
    lacunaPlot.lines(plots, { title: "Objective", xLabel: "seconds", yLabel: "objective", series: [{ name: "objective", x, y: history.objective }] });
    if (has(history.gap))
      lacunaPlot.lines(plots, { title: "Relative duality gap", xLabel: "seconds", yLabel: "gap", yLog: true,
                                series: [{ name: "gap: at most this far from the best over all ranks", x, y: history.gap }] });
    const error = [{ name: "training", x, y: history.train_rmse }];
    if (has(history.test_rmse)) error.push({ name: "test", x, y: history.test_rmse });
    lacunaPlot.lines(plots, { title: "RMSE", xLabel: "seconds", yLabel: "RMSE", series: error });
    if (has(history.test_auc))
      lacunaPlot.lines(plots, { title: "Test AUC", xLabel: "seconds", yLabel: "AUC", series: [{ name: "AUC", x, y: history.test_auc }] });
    if (has(history.test_mrr))
      lacunaPlot.lines(plots, { title: "Test MRR", xLabel: "seconds", yLabel: "filtered MRR", series: [{ name: "MRR", x, y: history.test_mrr }] });
  }

  if (run.tuning) {
    const plots = section("Tuning", `${run.tuning.metric} on held-out entries, mean over ${run.tuning.folds} folds; abandoned settings have fewer.`);
    const series = new Map();
    for (const row of run.tuning.rows) {
      if (!series.has(row.candidate)) series.set(row.candidate, { name: row.candidate, x: [], y: [] });
      series.get(row.candidate).x.push(row.lambda);
      series.get(row.candidate).y.push(row.mean);
    }
    const lists = [...series.values()];
    if (lists.some((one) => one.x.length > 1))
      lacunaPlot.lines(plots, { title: "Tuning curve", xLabel: "lambda", yLabel: run.tuning.metric, xLog: true, series: lists });
    else
      lacunaPlot.bars(plots, { title: "Settings", xLabel: "setting", yLabel: run.tuning.metric, categories: lists.map((one) => one.name),
                               series: [{ name: run.tuning.metric, y: lists.map((one) => one.y[0]) }] });
  }

  if (has(report.mixture.share) || report.spectra.length > 0) {
    const plots = section("The model");
    if (has(report.mixture.share))
      lacunaPlot.bars(plots, { title: "Mixture of the parts", xLabel: "part", yLabel: "share of the norms", categories: report.mixture.parts,
                               series: [{ name: "share", y: report.mixture.share }] });
    if (report.spectra.length > 0)
      lacunaPlot.lines(plots, { title: "Singular values", xLabel: "number", yLabel: "singular value", yLog: true,
                                series: report.spectra.map((one) => ({ name: one.name, x: one.values.map((_, i) => i + 1), y: one.values })) });
  }

  add(main, "h2", "Components");
  if (report.components.length === 0) {
    add(main, "p", "There is nothing to show here: the model is effects of positions alone, or a number for each of so many cells that taking them apart would take too long.", "quiet");
  } else {
    add(main, "p", "What the model is the sum of: products of numbers at the positions of its modes. In brackets, how strong each is.", "quiet");
    let curves = null;  // those that follow each other stand side by side
    for (const view of report.components) {
      if (view.kind === "curves") {
        curves = curves || add(main, "div", null, "plots curves");
        lacunaPlot.lines(curves, { title: view.title, xLabel: view.xLabel, yLabel: "weight",
                                   series: view.y.map((y, j) => ({ name: view.names[j], x: view.x, y })) });
        continue;
      }
      curves = null;
      add(main, "h3", view.title);
      if (view.kind === "pictures") pictures(view.images);
      else components(view);
    }
  }

  if (report.compared === "training") showErrors();  // which say little about other cells

  add(main, "h2", "Where it came from");
  if (run.command) add(main, "pre", run.command);
  const rows = [];
  if (run.train) rows.push(["training file", `${run.train.path}  (${run.train.checksum})`]);
  if (run.test) rows.push(["test file", `${run.test.path}  (${run.test.checksum})`]);
  for (const key of ["seed", "threads", "precision", "iterations", "seconds", "stop_reason"])
    if (run[key] !== undefined && run[key] !== null) rows.push([key.replace("_", " "), String(run[key])]);
  rows.push(["this page", `lacuna ${report.version}`]);
  table(rows);
  add(main, "h2", "Data and settings");
  table(Object.entries(report.facts));
}
