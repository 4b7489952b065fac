// Reads the Prometheus text format, as far as the server writes it.

export type Metrics = ReadonlyMap<string, number>

/** Values by name with labels, as the line has them: `rookery_active_fids{window="day"}`. */
export function parseMetrics(text: string): Metrics {
  const values = new Map<string, number>()
  for (const line of text.split('\n')) {
    const [, name, value] = /^([^#\s][^\s{]*(?:\{.*\})?) (\S+)$/.exec(line) ?? []
    if (name !== undefined) values.set(name, Number(value))
  }
  return values
}

/** The sum of all series of a metric; undefined when there is none. */
export function total(metrics: Metrics, name: string): number | undefined {
  const found = [...metrics].filter(([key]) => key === name || key.startsWith(`${name}{`))
  return found.length === 0 ? undefined : found.reduce((sum, [, value]) => sum + value, 0)
}
