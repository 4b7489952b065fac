import type { Engine } from './engines/engine.ts'
import type { Replicas } from './engines/postgres-replicas.ts'
import type { Sql } from './engines/sql.ts'
import { type Reader, reader } from './reader-writer.ts'
import { type AppViewReader, appViewReader } from './reads/app-views.ts'
import type { ShownTexts } from './reads/shown.ts'
import { viewReader } from './views/views.ts'

/** What the app API reads. All of it is answered by one server. */
export type ViewReads = Reader & {
  /** Reads of the views, which may join them with the store. They fail when the settings leave them out. */
  readonly views: ReturnType<typeof viewReader>
  /** The reads of the app API. */
  readonly appViews: AppViewReader
}

export const viewReads = (engine: Engine, shown: ShownTexts): ViewReads => ({
  ...reader(engine),
  views: viewReader(engine),
  appViews: appViewReader(engine, shown),
})

/** Returns the reads of the standby whose turn it is, which are made once for each. */
export function viewReadsInTurn(
  engine: Engine,
  shown: ShownTexts,
  replicas: Replicas | undefined,
): () => ViewReads | undefined {
  const made = new Map<Sql, ViewReads>()
  return () => {
    const sql = replicas?.next()
    if (!sql) return undefined
    const known = made.get(sql)
    if (known) return known
    const { all, each } = sql
    const reads = viewReads({ ...engine, all, each }, shown)
    made.set(sql, reads)
    return reads
  }
}
