// SPDX-License-Identifier: MIT
// The plots of lacuna's pages: lines, bars and points as SVG, drawn in the page from numbers. Nothing is loaded.
"use strict";
const lacunaPlot = (() => {
  const kColours = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f", "#8c564b",
                    "#3b3b9a", "#b0a000", "#17becf"];
  const kSize = { width: 560, height: 320, left: 64, right: 14, top: 30, bottom: 46 };
  const kLegendRow = 16;

  function svg(parent, name, attributes, text) {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    parent.appendChild(node);
    return node;
  }

  function label(value) {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e5 || size < 1e-3) return value.toExponential(1).replace(".0e", "e").replace("e+", "e");
    return String(Number(value.toPrecision(4)));
  }

  // Round numbers that cover low..high.
  function linearTicks(low, high, about) {
    const rough = (high - low) / about;
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
    const ticks = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) ticks.push(i * step);
    return ticks;
  }
  function logTicks(low, high, about) {
    const first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
    const every = Math.max(1, Math.ceil((last - first) / about));
    const steps = last - first <= 2 ? [1, 2, 5] : [1];
    const ticks = [];
    for (let e = first; e <= last; e += every)
      for (const m of steps) {
        const tick = m * Math.pow(10, e);
        if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
      }
    return ticks.length > 1 ? ticks : linearTicks(low, high, about);
  }

  // From numbers to pixels. Values that a logarithm does not have are left out by the callers.
  function scale(values, log, from, to, fromZero) {
    let low = Infinity, high = -Infinity;
    for (const value of values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (!(low <= high)) [low, high] = log ? [1, 10] : [0, 1];
    if (fromZero && !log) [low, high] = [Math.min(low, 0), Math.max(high, 0)];
    if (low === high) [low, high] = log ? [low / 2, high * 2] : low === 0 ? [0, 1] : [low - Math.abs(low) / 2, high + Math.abs(high) / 2];
    if (!log) {
      const air = (high - low) * 0.04;
      if (!(fromZero && low === 0)) low -= air;
      if (!(fromZero && high === 0)) high += air;
    }
    const at = log ? Math.log : (v) => v;
    const map = (value) => from + ((at(value) - at(low)) / (at(high) - at(low))) * (to - from);
    map.ticks = (log ? logTicks : linearTicks)(low, high, 6);
    return map;
  }

  function frame(element, options, series) {
    const named = series.filter((one) => one.name);
    const widest = Math.max(0, ...named.map((one) => one.name.length)) * 6 + 30;
    const perRow = Math.max(1, Math.floor((kSize.width - kSize.left - kSize.right) / widest));
    const legendRows = named.length > 1 ? Math.ceil(named.length / perRow) : 0;
    const height = kSize.height + 6 + legendRows * kLegendRow;
    const root = svg(element, "svg", { viewBox: `0 0 ${kSize.width} ${height}`, class: "plot", role: "img" });
    if (options.title) {
      root.setAttribute("aria-label", options.title);
      svg(root, "text", { x: kSize.left, y: 18, class: "title" }, options.title);
    }
    const right = kSize.width - kSize.right, bottom = kSize.height - kSize.bottom;
    svg(root, "rect", { x: kSize.left, y: kSize.top, width: right - kSize.left, height: bottom - kSize.top, class: "frame" });
    if (options.xLabel)
      svg(root, "text", { x: (kSize.left + right) / 2, y: bottom + 36, class: "axis", "text-anchor": "middle" }, options.xLabel);
    if (options.yLabel)
      svg(root, "text", { transform: `translate(14 ${(kSize.top + bottom) / 2}) rotate(-90)`, class: "axis", "text-anchor": "middle" },
          options.yLabel);
    named.forEach((one, i) => {
      if (legendRows === 0) return;
      const x = kSize.left + (i % perRow) * widest;
      const y = kSize.height + 6 + Math.floor(i / perRow) * kLegendRow;
      svg(root, "rect", { x, y: y - 8, width: 10, height: 10, fill: colour(series, one) });
      svg(root, "text", { x: x + 14, y: y + 1, class: "legend" }, one.name);
    });
    return { root, left: kSize.left, right, top: kSize.top, bottom };
  }
  const colour = (series, one) => kColours[series.indexOf(one) % kColours.length];

  function yAxis(box, y) {
    for (const tick of y.ticks) {
      svg(box.root, "line", { x1: box.left, x2: box.right, y1: y(tick), y2: y(tick), class: "grid" });
      svg(box.root, "text", { x: box.left - 6, y: y(tick) + 4, class: "tick", "text-anchor": "end" }, label(tick));
    }
  }
  function xAxis(box, x) {
    for (const tick of x.ticks) {
      svg(box.root, "line", { x1: x(tick), x2: x(tick), y1: box.top, y2: box.bottom, class: "grid" });
      svg(box.root, "text", { x: x(tick), y: box.bottom + 16, class: "tick", "text-anchor": "middle" }, label(tick));
    }
  }

  // Under some of the points, as many as there is room for.
  function namedAxis(box, x, points, names) {
    const shown = names.map((name) => (name.length > 16 ? name.slice(0, 15) + "\u2026" : name));
    const widest = Math.max(...shown.map((name) => name.length)) * 6 + 14;
    const every = Math.ceil(shown.length / Math.max(1, Math.floor((box.right - box.left) / widest)));
    for (let i = 0; i < shown.length; i += every)
      svg(box.root, "text", { x: x(points[i]), y: box.bottom + 16, class: "tick", "text-anchor": "middle" }, shown[i]);
  }

  function drawable(one, options) {
    const points = [];
    for (let i = 0; i < one.x.length; ++i) {
      const x = one.x[i], y = one.y[i];
      if (x === null || y === null || !isFinite(x) || !isFinite(y)) continue;
      if ((options.xLog && x <= 0) || (options.yLog && y <= 0)) continue;
      points.push([x, y, options.names && options.names.length > 0 ? options.names[i] : label(x)]);
    }
    return points;
  }

  // options: title, xLabel, yLabel, xLog, yLog, names: what the points of the only series are called, series: [{name, x: [], y: [], points: true to leave the line out}]
  function lines(element, options) {
    const box = frame(element, options, options.series);
    const drawn = options.series.map((one) => drawable(one, options));
    const x = scale(drawn.flat().map((p) => p[0]), options.xLog, box.left, box.right);
    const y = scale(drawn.flat().map((p) => p[1]), options.yLog, box.bottom, box.top, options.fromZero);
    if (options.names && options.names.length > 0) namedAxis(box, x, options.series[0].x, options.names);
    else xAxis(box, x);
    yAxis(box, y);
    options.series.forEach((one, i) => {
      const fill = colour(options.series, one);
      if (!one.points && drawn[i].length > 1)
        svg(box.root, "polyline", { points: drawn[i].map((p) => `${x(p[0]).toFixed(1)},${y(p[1]).toFixed(1)}`).join(" "),
                                    class: "line", stroke: fill });
      const radius = drawn[i].length > 100 ? 1.5 : 3;
      for (const p of drawn[i]) {
        const dot = svg(box.root, "circle", { cx: x(p[0]).toFixed(1), cy: y(p[1]).toFixed(1), r: radius, fill });
        svg(dot, "title", {}, `${one.name ? one.name + ": " : ""}${p[2]}, ${label(p[1])}`);
      }
    });
    return box.root;
  }

  // options: title, xLabel, yLabel, categories: [], series: [{name, y: []}]; categories that are too many to name are
  // numbered.
  function bars(element, options) {
    const box = frame(element, options, options.series);
    const values = options.series.flatMap((one) => one.y).filter((v) => v !== null && isFinite(v));
    const y = scale(values, false, box.bottom, box.top, true);
    yAxis(box, y);
    const count = options.categories.length, slot = (box.right - box.left) / Math.max(1, count);
    const numbers = typeof options.categories[0] === "number";
    const every = Math.ceil(count / (numbers ? 7 : 12)), tilted = options.categories.some((name) => String(name).length * 6 * count > box.right - box.left);
    options.categories.forEach((name, c) => {
      const middle = box.left + (c + 0.5) * slot;
      if (c % every === 0)
        svg(box.root, "text", tilted && !numbers && count <= 12
              ? { transform: `translate(${middle} ${box.bottom + 14}) rotate(-20)`, class: "tick", "text-anchor": "end" }
              : { x: middle, y: box.bottom + 16, class: "tick", "text-anchor": "middle" },
            numbers ? label(Number(name.toPrecision(2))) : name);
      options.series.forEach((one, s) => {
        const value = one.y[c];
        if (value === null || value === undefined || !isFinite(value)) return;
        const width = (slot * (count > 20 ? 1 : 0.8)) / options.series.length;
        const left = middle - (width * options.series.length) / 2 + s * width;
        const bar = svg(box.root, "rect", { x: left.toFixed(1), y: Math.min(y(value), y(0)).toFixed(1), width: Math.max(0.5, width - 0.5).toFixed(1),
                                            height: Math.max(0.5, Math.abs(y(value) - y(0))).toFixed(1), fill: colour(options.series, one) });
        svg(bar, "title", {}, `${one.name ? one.name + ", " : ""}${name}: ${label(value)}`);
      });
    });
    return box.root;
  }

  return { lines, bars };
})();
