# SPDX-License-Identifier: MIT
"""Sections as CSV files, as Markdown, and as one HTML page that needs nothing else."""
import csv
import html
import io
import json
import re
from pathlib import Path

from .runs import write_whole

REPORT = Path(__file__).resolve().parents[2] / "src" / "report"  # the style and plots of all of lacuna's pages

NOTE = ("Mean ± standard deviation over seeds. * the time limit ended a fit. - the method holds every cell, and they "
        "do not fit in memory. Columns named 'paper' are its own numbers; where a set stands in for the paper's, they "
        "are of other data.")


def csv_text(records):
    columns = list(dict.fromkeys(key for record in records for key in record))
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return text.getvalue()


def markdown_table(table):
    lines = [table.header, ["---"] * len(table.header), *table.rows]
    return "\n".join("| " + " | ".join(str(cell).replace("|", "\\|") for cell in line) + " |" for line in lines)


def markdown(sections, missing):
    blocks = [f"{table.title}\n\n{markdown_table(table)}" for section in sections for table in section.tables]
    return "\n\n".join([*blocks, NOTE, *(f"Missing: {line}" for line in missing)]) + "\n"


def cell_html(text, tag="td"):
    """**bold** is for the best of a column."""
    return f"<{tag}>" + re.sub(r"[*][*](.+)[*][*]", r"<b>\1</b>", html.escape(str(text))) + f"</{tag}>"


def table_html(table):
    head = "".join(cell_html(h, "th") for h in table.header)
    body = "\n".join("<tr>" + "".join(cell_html(c) for c in row) + "</tr>" for row in table.rows)
    return (f"<h3>{html.escape(table.title)}</h3>\n"
            f"<table><thead><tr>{head}</tr></thead><tbody>\n{body}\n</tbody></table>")


def section_html(section, number):
    parts = [f"<h2>{html.escape(section.title)}</h2>", *(table_html(t) for t in section.tables)]
    if section.plots:
        divs = "".join(f'<div id="plot-{number}-{i}"></div>' for i in range(len(section.plots)))
        parts.append(f'<div class="plots">{divs}</div>')
    if not section.tables and not section.plots:
        parts.append('<p class="quiet">Nothing to show: no data set, or no run has finished.</p>')
    return "\n".join(parts)


def page_html(sections, missing, command, version):
    plots = [[f"plot-{n}-{i}", plot.kind, plot.options]
             for n, section in enumerate(sections) for i, plot in enumerate(section.plots)]
    numbers = json.dumps(plots).replace("</", "<\\/")
    body = "\n".join(section_html(section, n) for n, section in enumerate(sections))
    absent = "".join(f"<li>{html.escape(line)}</li>" for line in missing)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>lacuna: the paper's experiments</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
{asset("page.css")}.plots > div {{ max-width: 620px; }}
</style></head><body>
<h1>The paper's experiments</h1>
<p class="lead">"A dual framework for low-rank tensor completion" (NeurIPS 2018), run by lacuna {html.escape(version)}</p>
<pre>{html.escape(command)}</pre>
<p>{html.escape(NOTE)}</p>
{f"<p>Data sets that were not found, and are left out:</p><ul>{absent}</ul>" if missing else ""}
{body}
<script>
{asset("plot.js")}
for (const [id, kind, options] of {numbers})
  if (typeof lacunaPlot !== "undefined") lacunaPlot[kind](document.getElementById(id), options);
</script></body></html>
"""


def asset(name):
    """Empty where the checkout has no report pages: then the page has tables only."""
    path = REPORT / name
    return path.read_text() if path.exists() else ""


def write_all(out, sections, missing, command, version):
    for section in sections:
        write_whole(out / f"{section.name}.csv", csv_text(section.records))
    write_whole(out / "paper.md", markdown(sections, missing))
    write_whole(out / "paper.html", page_html(sections, missing, command, version))
