import assert from 'node:assert/strict'
import type { App } from '../src/app.ts'

const PATIENCE_MS = 120_000

/**
 * Resolves when the views of a server have every event that it has stored. Only the browser that wrote a message waits for
 * them by itself; before another one reads it, the test has to.
 */
export async function indexed({ storage, views }: Pick<App, 'storage' | 'views'>): Promise<void> {
  const newest = await storage.events.newestId()
  assert.ok(await views!.passed(newest, PATIENCE_MS), 'the views are far behind')
}
