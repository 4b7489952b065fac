// Joining: consent to the rules is recorded, asked again when they change, exported and erased.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createNetwork, type Json, type Network } from './app-api-support.ts'
import { enginesOf } from './world.ts'

for (const engine of enginesOf(import.meta.url)) {
  describe(`joining on ${engine}`, { concurrency: 1 }, () => {
    let net: Network
    before(async () => {
      net = await createNetwork(engine, [1, 2, 3])
    })
    after(() => net?.world.close())
    const account = (fid: number) => net.accounts.find((one) => one.fid === fid)!

    async function call(url: string, { method = 'GET', body, fid }: Terms = {}) {
      const response = await fetch(url, {
        method,
        headers: {
          ...(fid && { authorization: `Bearer ${net.world.token(account(fid))}` }),
          'content-type': 'application/json',
          'x-api-key': 'web',
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, body: (await response.json()) as Json }
    }
    const urls = () => net.world.app.urls
    const describeServer = async (texts: object) =>
      assert.equal(
        (await call(`${urls().operations}/server/texts`, { method: 'PUT', body: { texts } }))
          .status,
        200,
      )
    const consent = (fid?: number, body?: object) =>
      call(`${urls().accounts}/v1/consent`, {
        ...(fid && { fid }),
        ...(body && { method: 'PUT', body }),
      })
    const server = async () => (await call(`${urls().web}/v1/server`)).body
    const asked = async (fid: number) =>
      (await call(`${urls().platform}/v1/own-standing`, { fid })).body.result.consent

    test('a server without rules asks nobody', async () => {
      assert.equal((await server()).rulesVersion, '')
      const { body } = await consent(1)
      assert.deepEqual(body, { isNeeded: false, version: '', minimumAge: 0, agreed: null })
      assert.equal(await asked(1), null)
      assert.equal((await consent()).status, 401)
    })

    test('rules are agreed to once, and again when they change', async () => {
      await describeServer({ rules: '- Be kind' })
      const { rulesVersion: version } = await server()
      assert.match(version, /^[0-9a-f]{32}$/)
      assert.deepEqual(await asked(1), { version, minimumAge: 0 })
      const { body } = await consent(1, { version })
      const at = Math.floor(net.world.clock.now() / 1_000)
      const agreed = { version, age: 0, at }
      assert.deepEqual(body, { isNeeded: false, version, minimumAge: 0, agreed })
      assert.equal(await asked(1), null)
      assert.notEqual(await asked(2), null, 'nobody agrees for somebody else')

      await describeServer({ rules: '- Be kind\n- Stay on topic' })
      assert.notEqual(await asked(1), null)
      const late = await consent(1, { version })
      assert.deepEqual([late.status, late.body.code], [409, 'changed_meanwhile'])
      assert.equal((await consent(1)).body.isNeeded, true)
      const next = (await server()).rulesVersion
      assert.equal((await consent(1, { version: next })).body.isNeeded, false)
    })

    test('who joins says to have the least age, and no other age is kept', async () => {
      await describeServer({ minimumAge: '16' })
      const { rulesVersion: version, minimumAge } = await server()
      assert.equal(minimumAge, '16')
      const young = await consent(2, { version, age: 15 })
      assert.deepEqual([young.status, young.body.field], [400, 'age'])
      const { body } = await consent(2, { version, age: 44 })
      assert.equal(body.agreed.age, 16)
      await describeServer({ minimumAge: '14' })
      assert.equal((await consent(2)).body.isNeeded, false, 'who is 16 is 14')
      await describeServer({ minimumAge: '18' })
      assert.equal((await consent(2)).body.isNeeded, true)
      for (const wrong of ['0', '150', 'old', '1.5']) {
        const texts = { minimumAge: wrong }
        const url = `${urls().operations}/server/texts`
        assert.equal((await call(url, { method: 'PUT', body: { texts } })).status, 400, wrong)
      }
    })
  })
}

type Terms = { readonly method?: string; readonly body?: object; readonly fid?: number }
