// Draws the charts anew, so that they can be pointed at and follow the page's
// colours; where that fails, the still pictures stay.
(() => {
  "use strict";
  if (typeof vegaEmbed !== "function") return;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  const colours = () => {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(name).trim();
    const axis = {
      labelColor: get("--soft"), titleColor: get("--soft"),
      domainColor: get("--soft"), tickColor: get("--soft"),
      gridColor: get("--line"), titleFontWeight: "normal",
      labelFontSize: 12, titleFontSize: 13,
    };
    return {
      background: "transparent",
      font: getComputedStyle(document.body).fontFamily,
      view: { stroke: null },
      axis,
      legend: { labelColor: get("--soft"), titleColor: get("--soft") },
      text: { color: get("--ink") },
    };
  };

  const draw = async (figure) => {
    const charts = figure.querySelectorAll(".chart");
    // Shown before it is drawn: a chart is as wide as its place.
    figure.classList.add("drawn");
    try {
      for (const chart of charts) {
        const spec = JSON.parse(chart.nextElementSibling.textContent);
        await vegaEmbed(chart, spec, {
          actions: false, renderer: "svg", config: colours(),
        });
      }
      figure.dataset.state = "drawn";
    } catch (error) {
      figure.classList.remove("drawn");
      figure.dataset.state = "failed";
      console.error("cannot draw a chart: " + error);
    }
  };

  const drawAll = async () => {
    for (const figure of document.querySelectorAll("figure.plot")) {
      await draw(figure);
    }
    document.documentElement.dataset.charts = "done";
  };

  dark.addEventListener("change", drawAll);
  drawAll();
})();
