// The plots of docs/performance.md as SVG, in the colours that the reader prefers and in a size for a narrow screen.

import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'

const WIDTH = 360
const FONT_PX = 12
const BAR_PX = 34
/** For the numbers and the title of an axis, in two lines. */
const MARGIN_BOTTOM_PX = 44
const STYLE = `svg { background: var(--paper); color: var(--ink); --paper: #fff; --ink: #1f2328; --one: #0969da; --two: #bc4c00 }
@media (prefers-color-scheme: dark) { svg { --paper: #0d1117; --ink: #e6edf3; --one: #58a6ff; --two: #f0883e } }`

/** What is drawn. */
export type Figures = {
  readonly date: string
  /** The load average, which says whether the machine was quiet. */
  readonly load: number
  /** Processor time of the floor for each processor time of a line. */
  readonly shares: readonly { readonly name: string; readonly share: number }[]
  readonly growth: readonly Growth[]
  readonly latency: readonly Latency[]
}
/** The median wait of one client over so many messages. */
export type Growth = { name: string; messages: number; p50Ms: number; date: string }
export type Latency = { name: string; connections: number; p50Ms: number; p99Ms: number }

/** Draws each plot, by the name of its file. */
export const DRAWINGS: Readonly<Record<string, (figures: Figures) => string>> = {
  shares: drawShares,
  growth: drawGrowth,
  latency: drawLatency,
}

function drawShares({ shares }: Figures): string {
  const bar = { y: 'name', x: 'share' } as const
  return svg({
    ariaLabel: 'Share of the floor, by line of the bench',
    height: BAR_PX * shares.length + MARGIN_BOTTOM_PX + 16,
    marginLeft: 10,
    marginRight: 40,
    x: { label: 'processor time of the floor / of Rookery', grid: true, zero: true },
    y: { axis: null, domain: shares.map(({ name }) => name), padding: 0.55 },
    marks: [
      Plot.ruleX([0, 1], { strokeOpacity: 0.5 }),
      Plot.barX(shares, { ...bar, fill: 'var(--one)', dy: 6 }),
      Plot.text(shares, { y: 'name', x: 0, text: 'name', textAnchor: 'start', dy: -9 }),
      Plot.text(shares, {
        ...bar,
        text: (one) => one.share.toFixed(2),
        textAnchor: 'start',
        dx: 4,
        dy: 6,
      }),
    ],
  })
}

function drawGrowth({ growth, date }: Figures): string {
  const smallest = (name: string, day: string) =>
    growth.find((one) => one.name === name && one.date === day)!.p50Ms
  const points = growth.map(({ name, messages, p50Ms, date: series }) => ({
    name,
    series,
    x: messages,
    y: p50Ms / smallest(name, series),
  }))
  return drawLines(points, date, {
    title: 'Growth of waiting times with the stored messages',
    facetPx: 96,
    x: { type: 'log', label: 'stored messages', ticks: [1e5, 1e6, 1e7], tickFormat: powerOfTen },
    y: { label: 'median wait, times that over 10⁵', ticks: 3, zero: true },
  })
}

function drawLatency({ latency }: Figures): string {
  const points = latency.flatMap(({ name, connections: x, p50Ms, p99Ms }) => [
    { name, x, series: 'p50', y: p50Ms },
    { name, x, series: 'p99', y: p99Ms },
  ])
  const ticks = [...new Set(latency.map(({ connections }) => connections))]
  const label = 'connections, each with one request at a time'
  return drawLines(points, 'p50', {
    title: 'Waiting times under load',
    facetPx: 170,
    x: { type: 'log', base: 4, label, ticks, tickFormat: String },
    y: { type: 'log', label: 'waiting time, ms', ticks: 4, tickFormat: String },
  })
}

type Point = {
  readonly name: string
  readonly series: string
  readonly x: number
  readonly y: number
}
type Axes = {
  readonly title: string
  readonly facetPx: number
  readonly x: Plot.ScaleOptions
  readonly y: Plot.ScaleOptions
}

/** A plot for each name below one another, with a line for each series, of which one has the first colour. */
function drawLines(
  points: readonly Point[],
  first: string,
  { title, facetPx, x, y }: Axes,
): string {
  const names = [...new Set(points.map(({ name }) => name))]
  const colour = ({ series }: Point) => (series === first ? 'var(--one)' : 'var(--two)')
  const place = { x: 'x', y: 'y', fy: 'name', z: 'series' } as const
  const label = { ...place, text: 'series', fill: colour, textAnchor: 'start', dx: 6 } as const
  return svg({
    ariaLabel: title,
    height: facetPx * names.length + MARGIN_BOTTOM_PX + 24,
    marginLeft: 50,
    marginRight: 76,
    x,
    y: { ...y, grid: true, nice: true },
    fy: { axis: null, domain: names, padding: 0.2 },
    marks: [
      Plot.frame({ strokeOpacity: 0.2 }),
      Plot.line(points, { ...place, stroke: colour }),
      Plot.dot(points, { ...place, fill: colour, r: 3 }),
      // Below its line, where it does not meet the name of the other series.
      Plot.text(points, Plot.selectLast({ ...label, filter: isOf(first), dy: 9 })),
      Plot.text(points, Plot.selectLast({ ...label, filter: (one) => !isOf(first)(one) })),
      Plot.text(names, { fy: String, text: String, frameAnchor: 'bottom-right', dx: -6, dy: -6 }),
    ],
  })
}

const isOf = (series: string) => (point: Point) => point.series === series

const powerOfTen = (value: number): string => `10${'⁰¹²³⁴⁵⁶⁷⁸⁹'[Math.round(Math.log10(value))]}`

function svg(options: Plot.PlotOptions): string {
  const { document } = parseHTML('<html></html>')
  const plot = Plot.plot({
    document,
    width: WIDTH,
    marginBottom: MARGIN_BOTTOM_PX,
    style: { fontSize: `${FONT_PX}px` },
    ...options,
  })
  const style = document.createElement('style')
  style.textContent = STYLE
  plot.prepend(style)
  plot.setAttribute('role', 'img')
  plot.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  return `${plot.outerHTML}\n`
}
