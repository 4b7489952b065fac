import type { Sql } from '../../../kernel/storage/engines/sql.ts'
import { rowsOf } from '../../../kernel/storage/rows.ts'
import { type RowOf, table } from '../../../kernel/storage/tables/table.ts'

/** Numbers of the metrics over time, a row for each time. The writer keeps the table small. */
export const METRIC_SAMPLES = table('metric_sample', {
  at: { type: 'seconds', key: true },
  /** JSON: numbers by metric with its labels. */
  numbers: { type: 'text', words: false },
})
export type MetricSample = RowOf<typeof METRIC_SAMPLES>

export const metricSampleReader = (sql: Sql) => ({
  /** The oldest first. */
  between: (from: number, to: number, limit: number) =>
    METRIC_SAMPLES.select(sql, 'where at >= ? and at <= ? order by at limit (? + 0)', [
      from,
      to,
      limit,
    ]),
})

export const metricSampleWriter = (sql: Sql) => ({
  ...metricSampleReader(sql),
  put: (sample: MetricSample) => METRIC_SAMPLES.upsert(sql, [sample]),
  /** Deletes samples before a time, and those that a clock which was wrong has dated after another. */
  async keepBetween(from: number, to: number): Promise<void> {
    await METRIC_SAMPLES.removeWhere(sql, 'at < ? or at > ?', [from, to])
  },
})

/** `storage.of(metricSampleRows)` reads these tables, and `tx.of(metricSampleRows)` writes them. */
export const metricSampleRows = rowsOf(metricSampleReader, ({ sql }) => metricSampleWriter(sql))
