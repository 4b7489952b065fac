import assert from 'node:assert/strict'
import type { App } from '../src/app.ts'
import { PATIENCE_MS } from './patience.ts'

/**
 * Resolves when the views of a server have every event that it has stored. The web client waits for the messages that it
 * wrote itself. A test in which another browser reads them calls this first.
 */
export async function indexed({ storage, views }: Pick<App, 'storage' | 'views'>): Promise<void> {
  const newest = await storage.events.newestId()
  assert.ok(await views!.passed(newest, PATIENCE_MS), 'the views are far behind')
}
