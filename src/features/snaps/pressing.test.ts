import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sendPress } from './pressing.ts'
import type { SnapPage } from './types.ts'

const press = {
  ...{ fid: 7, target: 'https://snap.example/vote', inputs: {}, timestamp: 1 },
  surface: undefined,
}
/** How many forms of a press a server is sent that answers with this status. */
async function formsFor(version: SnapPage['version'], status: number): Promise<number> {
  const page: SnapPage = { version, theme: { accent: 'purple' }, ui: { root: 'a', elements: {} } }
  const sent: object[] = []
  await sendPress(press, { page, id: 'a' }, async (payload) => {
    sent.push(payload)
    return { status, error: 'no' }
  })
  assert.ok('audience' in sent[0]!)
  return sent.length
}

describe('the form of a press', () => {
  it('without an audience is sent only for a page of version 1.0 whose server did not read the newer one', async () => {
    for (const status of [400, 401, 422]) assert.equal(await formsFor('1.0', status), 2)
    for (const status of [200, 403, 404, 409, 410, 429, 500]) {
      assert.equal(await formsFor('1.0', status), 1)
    }
    for (const status of [400, 401, 422]) assert.equal(await formsFor('2.0', status), 1)
  })
})
