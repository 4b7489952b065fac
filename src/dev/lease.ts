import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Storage } from '../kernel/storage/storage.ts'

const POLL_MS = 50
/** A process that dies while it fills the network keeps the others waiting for at most this long. */
const LEASE_MS = 30_000
const RENEWAL_MS = 5_000

/** Does the work, however long it takes, while no other process on the same database does work of this name. */
export async function withLease(
  storage: Storage,
  name: string,
  work: () => Promise<void>,
): Promise<void> {
  const holder = randomUUID()
  const take = () => {
    const now = Date.now()
    const request = { holder, now, expiresAt: now + LEASE_MS }
    return storage.write('leader', (tx) => tx.leases.take(name, request))
  }
  let epoch = await take()
  while (epoch === undefined) {
    await delay(POLL_MS)
    epoch = await take()
  }
  const term = { holder, epoch }
  const renewal = setInterval(() => void take().catch(() => {}), RENEWAL_MS)
  try {
    await work()
  } finally {
    clearInterval(renewal)
    await storage.write('leader', (tx) => tx.leases.release(name, term))
  }
}
