// Requests to join where moderators let each person in: nothing is registered before, an approval counts once, and what is
// declined, taken back or forgotten leaves nothing.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { generatePrivateKey, type LocalAccount, privateKeyToAccount } from 'viem/accounts'
import { createInvite } from '../src/features/invites/invites.ts'
import { actionOf } from '../src/features/joining/join-requests.ts'
import { joinRequestRows, MAX_WAITING } from '../src/features/joining/tables/join-requests.ts'
import { callJson, signRegister } from '../src/kernel/accounts/signatures/sign.ts'
import { fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { accountDomains } from '../src/kernel/protocol/crypto/account-domains.ts'
import { accountDataTypedData } from '../src/kernel/protocol/crypto/eip712.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { createWorld, enginesOf, type World } from './world.ts'

type Asking = { reason?: string; called?: string; by?: LocalAccount; client?: string }
// biome-ignore lint/suspicious/noExplicitAny: tests look into JSON as they find it
type Answer = { readonly status: number; readonly body: any }

for (const engine of enginesOf(import.meta.url)) {
  describe(`requests to join on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    before(async () => {
      const env = { ROOKERY_SIGNUP: 'approval', ROOKERY_TRUSTED_PROXIES: '127.0.0.1' }
      world = await createWorld({ engine, env })
    })
    after(() => world?.close())

    const now = () => Math.floor(world.clock.now() / 1_000)
    const someone = () => privateKeyToAccount(generatePrivateKey())
    let clients = 0
    /** Each call comes from another provider, unless a client is given. */
    async function call(
      path: string,
      { method = 'GET', body, client = `10.${clients++}.0.1` }: Call = {},
    ): Promise<Answer> {
      const { accounts, operations } = world.app.urls
      const url =
        path.startsWith('/joining') || path.startsWith('/moderation') ? operations : accounts
      const response = await fetch(url + path, {
        method,
        ...(body && { body: JSON.stringify(body) }),
        headers: { 'content-type': 'application/json', 'x-forwarded-for': client },
      })
      return { status: response.status, body: await response.json() }
    }

    async function ask(
      person: LocalAccount,
      { reason = 'I keep pigeons', called = 'Dove', by = person, client }: Asking = {},
    ) {
      const deadline = now() + 600
      const domain = accountDomains(world.app.signingNetwork).idRegistry
      const network = (await call('/v1/info')).body.network
      const action = actionOf({ called, reason })
      const data = accountDataTypedData({ action, fid: 0, network, deadline }, domain)
      // viem infers structs from literal types; here they are data like any other.
      const signature = await by.signTypedData(data as never)
      const body = { address: person.address, called, reason, deadline, signature }
      return call('/v1/join-requests', { method: 'POST', body, ...(client && { client }) })
    }
    const register = async (person: LocalAccount, invite?: string) => {
      const signed = await signRegister(person, {
        deadline: BigInt(now() + 3_600),
        domains: accountDomains(world.app.signingNetwork),
        recovery: new Uint8Array(20),
      })
      const body = { ...callJson(signed), ...(invite && { invite }) }
      return call('/v1/registerFor', { method: 'POST', body })
    }
    const stateOf = async (ticket: string) => (await call(`/v1/join-requests/${ticket}`)).body
    const queue = async () => (await call('/joining/requests')).body.requests
    type Outcome = 'approved' | 'declined'
    const decideAll = (outcome: Outcome, requests: readonly object[], more: object = {}) =>
      call('/joining/requests/decide', { method: 'POST', body: { outcome, requests, ...more } })
    /** The code of the refusal of a decision about one person; null: it is decided. */
    async function decide(
      { address }: LocalAccount,
      outcome: Outcome,
      { askedAt, ...more }: { askedAt: number; answer?: string },
    ): Promise<string | null> {
      const { status, body } = await decideAll(outcome, [{ address, askedAt }], more)
      assert.equal(status, 200, JSON.stringify(body))
      return body.results[0].error?.code ?? null
    }
    const stored = (person: LocalAccount) =>
      world.app.storage.of(joinRequestRows).find(fromHex(person.address)!)
    const refused = ({ status, body }: Answer) => [status, body.code]

    test('who was let in registers once, and nothing of the request is left', async () => {
      assert.equal((await call('/v1/info')).body.signup, 'approval')
      const person = someone()
      assert.deepEqual(refused(await register(person)), [403, 'signup.approval_required'])
      const { status, body } = await ask(person)
      assert.equal(status, 200, JSON.stringify(body))
      assert.equal((await stateOf(body.ticket)).state, 'waiting')
      assert.deepEqual(refused(await register(person)), [403, 'signup.approval_required'])
      const [waiting] = await queue()
      assert.deepEqual(
        [waiting.address, waiting.called, waiting.reason],
        [person.address.toLowerCase(), 'Dove', 'I keep pigeons'],
      )
      const { askedAt } = waiting
      assert.equal(await decide(person, 'approved', { askedAt, answer: 'Welcome' }), null)
      assert.deepEqual(await queue(), [])
      const { state, answer } = await stateOf(body.ticket)
      assert.deepEqual([state, answer], ['approved', 'Welcome'])
      const row = await stored(person)
      assert.deepEqual([row?.called, row?.reason], ['', ''], 'what was written is deleted')
      const registered = await register(person)
      assert.equal(registered.status, 200, JSON.stringify(registered.body))
      assert.equal(await stored(person), undefined)
      assert.equal((await call(`/v1/join-requests/${body.ticket}`)).status, 404)
      assert.deepEqual(refused(await ask(person)), [409, 'HasId'])
    })

    test('who is declined reads why, and their words are deleted at once', async () => {
      const person = someone()
      const { body } = await ask(person, { reason: 'To sell things' })
      const { askedAt } = body
      assert.equal(await decide(person, 'declined', { askedAt: askedAt + 1 }), 'changed_meanwhile')
      assert.equal(await decide(person, 'declined', { askedAt, answer: 'No shops' }), null)
      assert.equal(await decide(person, 'approved', { askedAt }), 'changed_meanwhile')
      const { state, answer } = await stateOf(body.ticket)
      assert.deepEqual([state, answer], ['declined', 'No shops'])
      const row = await stored(person)
      assert.deepEqual([row?.called, row?.reason], ['', ''])
      assert.deepEqual(refused(await register(person)), [403, 'signup.approval_required'])
      assert.deepEqual(refused(await ask(person)), [400, 'bad_request.conflict'])
      const log = JSON.stringify((await call('/moderation/log')).body)
      assert.match(log, /decline-join/)
      assert.doesNotMatch(log, /To sell things/)
    })

    test('a request may be changed and taken back by who has made it', async () => {
      const person = someone()
      const first = (await ask(person)).body.ticket
      const second = (await ask(person, { reason: 'I keep hens' })).body.ticket
      assert.equal((await call(`/v1/join-requests/${first}`)).status, 404)
      const found = (await queue()).filter(
        (one: { address: string }) => one.address === person.address.toLowerCase(),
      )
      assert.deepEqual(
        found.map((one: { reason: string }) => one.reason),
        ['I keep hens'],
      )
      const path = `/v1/join-requests/${second}`
      assert.equal((await call(path, { method: 'DELETE' })).status, 200)
      assert.equal(await stored(person), undefined)
      assert.equal((await call(path, { method: 'DELETE' })).status, 404)
    })

    test('nobody asks with the address of somebody else, and who has an invite need not ask', async () => {
      const person = someone()
      assert.deepEqual(refused(await ask(person, { by: someone() })), [400, 'InvalidSignature'])
      assert.equal(await stored(person), undefined)
      const terms = { uses: 1, days: 1, label: '' }
      const { code } = await createInvite(world.app.storage, world.clock.now(), terms)
      const { askedAt, ticket } = (await ask(person)).body
      assert.equal((await register(person, code)).status, 200)
      assert.equal(await stored(person), undefined, 'who has an account waits no more')
      assert.equal((await call(`/v1/join-requests/${ticket}`)).status, 404)
      assert.equal(await decide(person, 'approved', { askedAt }), 'not_found')
      // The invite was used up meanwhile: one can still ask.
      const late = someone()
      assert.deepEqual(refused(await register(late, code)), [403, 'signup.invalid_invite'])
      assert.equal((await ask(late)).status, 200)
    })

    test('nobody who has an account is let in', async () => {
      const person = someone()
      const { askedAt } = (await ask(person)).body
      const row = (await stored(person))!
      const terms = { uses: 1, days: 1, label: '' }
      const { code } = await createInvite(world.app.storage, world.clock.now(), terms)
      assert.equal((await register(person, code)).status, 200)
      // As a store had it in which the registration left the request.
      await world.app.storage.write('hub', (tx) => tx.of(joinRequestRows).put(row))
      assert.equal(await decide(person, 'approved', { askedAt }), 'HasId')
      await world.app.storage.write('hub', (tx) => tx.of(joinRequestRows).remove([row.address]))
    })

    test('reasons and answers have something to read', async () => {
      const person = someone()
      for (const reason of [' \n ', 'pigeons\u0007']) {
        const { status, body } = await ask(person, { reason })
        assert.equal(status, 400)
        assert.match(JSON.stringify(body), /reason/)
      }
      const { status, body } = await ask(person, { reason: 'I keep pigeons\n\tand hens' })
      assert.equal(status, 200, JSON.stringify(body))
      const { askedAt } = body
      for (const answer of ['', '  ', 'No\u001b[2J']) {
        const one = { address: person.address, askedAt }
        assert.equal((await decideAll('declined', [one], { answer })).status, 400)
      }
      assert.equal(await decide(person, 'declined', { askedAt, answer: 'No' }), null)
    })

    test('many are decided at once with one answer, and one that cannot be decided keeps back nobody', async () => {
      const people = [someone(), someone(), someone()]
      const asked = []
      for (const person of people) {
        const { ticket, askedAt } = (await ask(person)).body
        asked.push({ ticket, address: person.address, askedAt })
      }
      const [first, second, third] = asked
      const stranger = { address: someone().address, askedAt: now() }
      const list = [first!, stranger, { ...second!, askedAt: 1 }, third!, third!].map(
        ({ address, askedAt }) => ({ address: address as string, askedAt: askedAt as number }),
      )
      const { status, body } = await decideAll('approved', list, { answer: 'Welcome, all' })
      assert.equal(status, 200)
      assert.deepEqual(
        body.results.map((one: { error: { code: string } | null }) => one.error?.code ?? null),
        [null, 'not_found', 'changed_meanwhile', null, 'changed_meanwhile'],
      )
      assert.deepEqual(
        body.results.map((one: { address: string }) => one.address),
        list.map(({ address }) => address.toLowerCase()),
      )
      for (const [one, state] of [
        [first, 'approved'],
        [second, 'waiting'],
        [third, 'approved'],
      ] as const) {
        assert.equal((await stateOf(one!.ticket)).state, state)
      }
      assert.equal((await stateOf(third!.ticket)).answer, 'Welcome, all')
      for (const length of [0, 51]) {
        const wrong = await decideAll('approved', Array(length).fill(list[0]))
        assert.equal(wrong.status, 400)
      }
      assert.equal((await decideAll('waiting' as Outcome, list)).status, 400)
      assert.equal(await decide(people[1]!, 'declined', { askedAt: second!.askedAt }), null)
    })

    test('who was let in joins also while others need an invite, and nobody while the server is closed', async () => {
      const setSignup = (value: string) =>
        world.operate('/server/settings/ROOKERY_SIGNUP', { method: 'PUT', body: { value } })
      const [approved, waiting, late] = [someone(), someone(), someone()]
      const { askedAt, ticket } = (await ask(approved)).body
      const asked = (await ask(waiting)).body
      assert.equal(await decide(approved, 'approved', { askedAt }), null)
      await setSignup('closed')
      assert.deepEqual(refused(await register(approved)), [403, 'signup.closed'])
      assert.equal((await stateOf(ticket)).signup, 'closed')
      await setSignup('invite')
      assert.equal((await stateOf(ticket)).signup, 'invite')
      assert.deepEqual(refused(await register(waiting)), [403, 'signup.invite_required'])
      assert.deepEqual(refused(await ask(late)), [400, 'not_supported'])
      assert.equal((await register(approved)).status, 200)
      assert.equal(await stored(approved), undefined, 'an approval counts once')
      // Who waits is decided about still.
      const { body } = await call('/joining/requests')
      assert.equal(body.signup, 'invite')
      assert.ok(
        body.requests.some(
          (one: { address: string }) => one.address === waiting.address.toLowerCase(),
        ),
      )
      assert.equal(await decide(waiting, 'approved', { askedAt: asked.askedAt }), null)
      assert.equal((await register(waiting)).status, 200)
      await setSignup('approval')
    })

    test('the metrics say how many wait, and how long the first of them has waited', async () => {
      const metric = async (name: string) => {
        const { operations } = world.app.urls
        const text = await (await fetch(`${operations}/metrics`)).text()
        return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
      }
      const before = await metric('rookery_join_requests')
      const person = someone()
      const { askedAt } = (await ask(person)).body
      assert.equal(await metric('rookery_join_requests'), before + 1)
      const oldest = (await queue())[0].askedAt
      world.clock.advance(5_000)
      assert.equal(await metric('rookery_join_request_age_seconds'), now() - oldest)
      // Nobody needs a decision meanwhile.
      const setSignup = (value: string) =>
        world.operate('/server/settings/ROOKERY_SIGNUP', { method: 'PUT', body: { value } })
      for (const value of ['open', 'closed']) {
        await setSignup(value)
        assert.equal(await metric('rookery_join_requests'), 0, value)
        assert.equal(await metric('rookery_join_request_age_seconds'), 0, value)
      }
      await setSignup('invite')
      assert.equal(await metric('rookery_join_requests'), before + 1)
      await setSignup('approval')
      assert.equal(await decide(person, 'declined', { askedAt }), null)
    })

    test('when all places are taken, the provider that has taken most makes room', async () => {
      const hog = '192.0'
      await world.app.storage.write('hub', async (tx) => {
        const requests = tx.of(joinRequestRows)
        for (let n = await requests.waitingCount(); n < MAX_WAITING; n++) {
          const address = new Uint8Array(randomBytes(20))
          const provider = n % 10 === 0 ? hog : `172.${n}`
          const words = { called: 'Dove', reason: 'I keep pigeons', answer: '' }
          const times = { asked_at: now() + n, decided_at: null }
          const ticket_hash = new Uint8Array(randomBytes(32))
          await requests.put({
            address,
            ticket_hash,
            provider,
            state: 'waiting',
            ...words,
            ...times,
          })
        }
      })
      const { of } = world.app.storage
      const most = (await of(joinRequestRows).mostWaiting())!
      assert.equal(most.provider, hog)
      const person = someone()
      assert.equal((await ask(person)).status, 200)
      assert.equal(await of(joinRequestRows).waitingCount(), MAX_WAITING)
      assert.equal((await of(joinRequestRows).mostWaiting())?.n, most.n - 1)
      assert.equal((await stored(person))?.state, 'waiting')
    })

    test('requests are bounded by network, and forgotten after 30 days, also what the log said of the people', async () => {
      const client = '203.0.113.7'
      for (let i = 0; i < 20; i++) assert.equal((await ask(someone(), { client })).status, 200)
      assert.equal((await ask(someone(), { client })).status, 429)
      assert.ok((await queue()).length > 0)
      const joins = async () => {
        const { entries } = (await call('/moderation/log')).body.result
        return entries.filter(({ action }: { action: string }) => /-join$/.test(action))
      }
      const logged = await joins()
      assert.match(JSON.stringify(logged), /"Dove".*No shops/)
      world.clock.advance(29 * DAY_MS)
      await world.app.jobs.run('requests to join')
      assert.deepEqual(await joins(), logged)
      world.clock.advance(2 * DAY_MS)
      await world.app.jobs.run('requests to join')
      const texts = (await joins()).map((one: { name: string | null; reason: string }) => [
        one.name,
        one.reason,
      ])
      // Who decided what, and when, stays.
      assert.deepEqual(texts, Array(logged.length).fill([null, '-']))
      assert.deepEqual(await queue(), [])
      assert.equal((await world.app.storage.of(joinRequestRows).waiting()).length, 0)
    })
  })
}

type Call = { readonly method?: string; readonly body?: object; readonly client?: string }
