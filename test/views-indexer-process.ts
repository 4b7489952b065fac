// A process that does nothing but index, for tests that kill it.

import { type JoinSettings, joinStorage } from '../src/kernel/storage/storage.ts'
import { openViewStore } from '../src/kernel/storage/views/view-store.ts'
import { Indexer } from '../src/kernel/views/indexer.ts'
import type { IndexerBounds } from '../src/kernel/views/indexer-work.ts'

const { settings, bounds } = JSON.parse(process.argv[2]!) as {
  settings: JoinSettings
  bounds: Partial<IndexerBounds>
}
const storage = joinStorage(settings)
const views = openViewStore(settings)
const holder = String(process.pid)
const indexer = new Indexer({
  storage,
  views,
  // A row for each event, in the transaction that applies it.
  matcher: async (events) =>
    events.map(({ id }) => ({
      webhook: 'every event',
      event: id,
      n: 1,
      type: 'test',
      subject: holder,
      attempts: 0,
      due: 0,
    })),
  holder: 'killed one after the other',
  now: Date.now,
  bounds,
})
for (;;) {
  const { events, ratio } = await indexer.step()
  if (events > 0 || ratio !== undefined) process.send?.('did something')
}
