import { openWholeStore } from '../../../store.ts'
// Wake-ups after commits: in a process, between processes, and through what passes none on.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { PATIENCE_MS } from '../../../../test/patience.ts'
import { adminQuery } from '../../../../test/postgres.ts'
import { asPooler, startPostgresProxy } from '../../../../test/postgres-proxy.ts'
import { NETWORK, postgresPlace, sqlitePlace } from '../../../../test/storage-support.ts'
import type { Storage } from '../storage.ts'
import { ANNOUNCED_POLL_MS, UNANNOUNCED_POLL_MS } from './signals.ts'

async function until(condition: () => boolean, what: string): Promise<void> {
  for (const end = performance.now() + PATIENCE_MS; !condition(); ) {
    assert.ok(performance.now() < end, `never: ${what}`)
    await sleep(2)
  }
}

async function commitEvent(storage: Storage): Promise<number> {
  return storage.write('hub', async (tx) => {
    const id = tx.newestId + 1
    await tx.events.append([{ id, type: 1 }])
    return id
  })
}

/** Counts the signals of the event log. */
function countSignals(storage: Storage): { signals: number } {
  const count = { signals: 0 }
  storage.signals.on('events', () => {
    count.signals++
  })
  return count
}

const isConnected = (storage: Storage) => storage.signals.pollMs === ANNOUNCED_POLL_MS

describe('signals', () => {
  test('a commit of events tells listeners of events, and only a commit that has some does', async () => {
    const place = await sqlitePlace()
    const storage = await place.open()
    const count = countSignals(storage)
    const other = { signals: 0 }
    storage.signals.on('key requests', () => {
      other.signals++
    })
    await storage.write('hub', (tx) => tx.cursors.put('a', 'b'))
    assert.equal(count.signals, 0)
    await commitEvent(storage)
    assert.equal(count.signals, 1)
    await assert.rejects(
      storage.write('hub', async (tx) => {
        await tx.events.append([{ id: tx.newestId + 1, type: 1 }])
        throw new Error('rolled back')
      }),
    )
    assert.deepEqual([count.signals, other.signals], [1, 0])
    assert.ok(isConnected(storage), 'no other process can use the embedded store')
    await storage.close()
    await place.drop()
  })

  test('commits of one process tell the listeners of another one on the same PostgreSQL', async () => {
    const place = await postgresPlace('template1')
    const [writer, reader] = [await place.open(), await place.open()]
    const count = countSignals(reader)
    await until(() => isConnected(reader), 'the reader is connected')
    const own = countSignals(writer)
    const seen = count.signals
    await commitEvent(writer)
    await until(() => count.signals > seen, 'the other process is told')
    await until(() => isConnected(writer), 'the writer is connected')
    const before = own.signals
    await commitEvent(writer)
    await until(() => count.signals > seen + 1, 'the other process is told again')
    assert.equal(own.signals, before + 1, 'a process does not hear itself')
    await Promise.all([writer.close(), reader.close()])
    await place.drop()
  })

  test('a listener whose connection is lost polls often until it is connected again', async () => {
    const place = await postgresPlace('template1')
    const [writer, reader] = [await place.open(), await place.open()]
    const count = countSignals(reader)
    await until(() => isConnected(reader), 'the reader is connected')
    const terminate = `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query ilike 'listen%'`
    await adminQuery(place.url, terminate)
    await until(() => !isConnected(reader), 'the connection is lost')
    assert.equal(reader.signals.pollMs, UNANNOUNCED_POLL_MS)
    const before = count.signals
    await until(() => isConnected(reader), 'the reader is connected again')
    assert.ok(count.signals > before, 'listeners look for what was announced meanwhile')
    const seen = count.signals
    await commitEvent(writer)
    await until(() => count.signals > seen, 'the other process is told')
    await Promise.all([writer.close(), reader.close()])
    await place.drop()
  })

  test('behind a pooler nothing is listened to, and processes poll often', async () => {
    const place = await postgresPlace('template1')
    const pooler = await startPostgresProxy(place.url, asPooler)
    const storage = await openWholeStore({ databaseUrl: pooler.url, dataDir: '', network: NETWORK })
    const count = countSignals(storage)
    await commitEvent(storage)
    assert.equal(count.signals, 1, 'the process tells itself')
    // Time for the attempt; an attempt that succeeded would show at once.
    for (let i = 0; i < 20; i++) {
      await storage.ping()
      await sleep(5)
      assert.equal(storage.signals.pollMs, UNANNOUNCED_POLL_MS)
    }
    const listening = await adminQuery(
      place.url,
      `select pid from pg_stat_activity
        where datname = current_database() and query ilike 'listen%'`,
    )
    assert.deepEqual(listening, [])
    await storage.close()
    await pooler.close()
    await place.drop()
  })

  test('a store closes at once while it is connecting, connected or being told', async () => {
    const place = await postgresPlace('template1')
    for (const isWaiting of [false, true]) {
      const storage = await place.open()
      countSignals(storage)
      if (isWaiting) await until(() => isConnected(storage), 'it is connected')
      await commitEvent(storage)
      const begun = performance.now()
      await storage.close()
      assert.ok(performance.now() - begun < 4_000)
    }
    await place.drop()
  })
})
