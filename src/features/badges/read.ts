import { MAX_PAGE_SIZE } from '../../kernel/storage/reads/page.ts'
import type { Storage } from '../../kernel/storage/storage.ts'
import { EDGE_KINDS, type EdgePosition } from '../../kernel/storage/tables/graph.ts'
import { type Graph, GraphBuilder } from './graph.ts'

// Reads the graph of all accounts in batches, so that other queries are not blocked for long.

/** Rows of the graph in one read: some milliseconds, and a few megabytes. */
const EDGES_PER_READ = 10_000

/** All fids, ascending. */
export async function readFids({ accounts }: Pick<Storage, 'accounts'>): Promise<Uint32Array> {
  const pages: Uint32Array[] = []
  let token: Uint8Array | undefined
  do {
    const page = await accounts.listFids({ size: MAX_PAGE_SIZE, token })
    pages.push(Uint32Array.from(page.items))
    token = page.next
  } while (token)
  const fids = new Uint32Array(pages.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const page of pages) {
    fids.set(page, at)
    at += page.length
  }
  return fids
}

/** All follows, and interactions from the network second `since` on. */
export async function readGraph(
  { graph }: Pick<Storage, 'graph'>,
  fids: Uint32Array,
  since: number,
): Promise<Graph> {
  const builder = new GraphBuilder(fids)
  for (const kind of EDGE_KINDS) {
    const oldest = kind === 'follow' ? 0 : since
    let after: EdgePosition | undefined
    do {
      after = await graph.edges({ kind, after, limit: EDGES_PER_READ }, (from, to, timestamp) => {
        if (timestamp >= oldest) builder.add(kind, from, to)
      })
    } while (after)
  }
  return builder.build()
}

/** 1 for each account that has cast since. */
export async function readActive(
  { graph }: Pick<Storage, 'graph'>,
  fids: Uint32Array,
  since: number,
): Promise<Uint8Array> {
  const active = new Uint8Array(fids.length)
  for (let from = 0; from < fids.length; from += MAX_PAGE_SIZE) {
    const batch = [...fids.subarray(from, from + MAX_PAGE_SIZE)]
    const found = new Set(await graph.castSince(batch, since))
    batch.forEach((fid, i) => {
      if (found.has(fid)) active[from + i] = 1
    })
  }
  return active
}
