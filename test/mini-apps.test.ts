import { miniAppRows } from '../src/features/mini-apps/tables/mini-apps.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
// The catalogue of mini apps: who lists them, what their manifests must have, and which are shown.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { create } from '@bufbuild/protobuf'
import { devAccount } from '../src/dev/accounts.ts'
import { verificationAddEth } from '../src/kernel/protocol/build.ts'
import { concatBytes, fromHex } from '../src/kernel/protocol/codec/bytes.ts'
import { signEthClaim } from '../src/kernel/protocol/crypto/eip712.ts'
import {
  type OnChainEvent,
  OnChainEventSchema,
  OnChainEventType,
  SignerEventType,
} from '../src/kernel/protocol/wire/onchain_event_pb.js'
import {
  type AppServer,
  addCustodians,
  associationOf,
  signEvent,
  startAppServer,
} from './mini-apps-support.ts'
import { createWorld, enginesOf, type TestAccount, type World } from './world.ts'

/** The event that makes an address an auth address of an account. */
const authAddressOf = (fid: number, address: Uint8Array): OnChainEvent =>
  create(OnChainEventSchema, {
    chainId: 10,
    blockNumber: 900,
    blockHash: new Uint8Array(32).fill(9),
    blockTimestamp: 1_767_225_600n,
    transactionHash: new Uint8Array(32).fill(8),
    fid: BigInt(fid),
    type: OnChainEventType.EVENT_TYPE_SIGNER,
    logIndex: 0,
    body: {
      case: 'signerEventBody',
      value: {
        key: concatBytes(new Uint8Array(12), address),
        keyType: 2,
        eventType: SignerEventType.ADD,
        metadataType: 1,
      },
    },
  })

for (const engine of enginesOf(import.meta.url)) {
  describe(`mini apps that authors sign, on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let users: TestAccount[]
    const servers: AppServer[] = []

    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_MINI_APPS: 'signed' } })
      users = await addCustodians(world, [1, 2, 3])
    })
    after(async () => {
      for (const server of servers) await server.close()
      await world.close()
    })

    const serve = async (fid: number | undefined, changes: object = {}) => {
      const server = await startAppServer()
      servers.push(server)
      Object.assign(server.manifest, changes)
      if (fid !== undefined) server.association = await associationOf(fid, server.domain)
      return server
    }
    const list = (fid: number, domain: string) =>
      world.platform('/fc/mini-apps', { body: { domain }, token: world.token(users[fid - 1]!) })
    const listed = async (query: string, fid?: number) => {
      const token = fid === undefined ? {} : { token: world.token(users[fid - 1]!) }
      const { status, body } = await world.platform(`/v1/mini-apps${query}`, token)
      assert.equal(status, 200, JSON.stringify(body))
      return body.result.apps.map(({ domain }: { domain: string }) => domain)
    }
    const open = async (fid: number, { domain }: AppServer) => {
      const token = world.token(users[fid - 1]!)
      const answer = await world.platform('/fc/mini-app-opens', { body: { domain }, token })
      assert.deepEqual(answer.body, { result: { success: true } })
    }
    const one = (domain: string) => world.platform(`/v1/mini-app?domain=${domain}`)

    test('an app is listed by the account that has signed its domain, with its author', async () => {
      const server = await serve(1)
      const { status, body } = await list(1, server.domain)
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual(body.result.app, {
        domain: server.domain,
        name: 'Poll',
        author: { fid: 1 },
        iconUrl: `${server.origin}/icon.png`,
        homeUrl: `${server.origin}/`,
        subtitle: 'Asks everybody',
        description: 'Questions with answers, for every channel.',
        primaryCategory: 'social',
        tags: ['poll', 'votes'],
        people: 0,
        lookedAt: Math.floor(world.clock.now() / 1_000),
      })
      assert.deepEqual(await listed('?list=new'), [server.domain])
    })

    test('lists and details are answered with 304 until they change', async () => {
      const [{ domain }, other] = [await serve(1), await serve(1)]
      assert.equal((await list(1, domain)).status, 200)
      const paths = ['mini-apps?list=new', 'mini-apps/search?q=poll', `mini-app?domain=${domain}`]
      const ask = (path: string, etag = '') =>
        fetch(`${world.app.urls.platform}/v1/${path}`, { headers: { 'if-none-match': etag } })
      const etags = new Map<string, string>()
      for (const path of paths) {
        const etag = (await ask(path)).headers.get('etag')!
        assert.equal((await ask(path, etag)).status, 304, path)
        etags.set(path, etag)
      }
      assert.equal((await list(1, other.domain)).status, 200)
      const statuses = await Promise.all(
        paths.map(async (path) => (await ask(path, etags.get(path))).status),
      )
      assert.deepEqual(statuses, [200, 200, 304])
    })

    test('another account cannot list it, and an unsigned app is refused with what to do', async () => {
      const server = await serve(1)
      assert.equal((await list(2, server.domain)).status, 403)
      server.association = undefined
      const { status, body } = await list(1, server.domain)
      assert.equal(status, 400)
      assert.equal(body.code, 'bad_request.validation_failure')
      const fault = body.errors[0].data.faults.find(
        ({ code }: { code: string }) => code === 'unsigned',
      )
      assert.equal(fault.severity, 'error')
      assert.match(fault.fix, /Sign the domain/)
      assert.equal((await one(server.domain)).status, 404)
    })

    test('a signature counts as bytes and as text, by the custody address and by an auth address', async () => {
      const server = await serve(undefined)
      const lists = async (fid: number, options: Parameters<typeof associationOf>[2]) => {
        server.association = await associationOf(fid, server.domain, options)
        const { status, body } = await list(fid, server.domain)
        return status === 200 ? 'listed' : (body.errors[0].data?.faults ?? [{}]).at(-1).code
      }
      for (const type of ['custody', 'auth'] as const) {
        for (const encoding of ['bytes', 'text'] as const) {
          assert.equal(await lists(1, { type, encoding }), 'listed', `${type} ${encoding}`)
        }
      }
      assert.equal(await lists(1, { signer: 9 }), 'not_owner')
      assert.equal(await lists(1, { type: 'auth', signer: 9 }), 'not_owner')
      const { custody: account, custodyPrivateKey } = devAccount(8)
      const address = fromHex(account.address.toLowerCase())!
      const claim = { address, blockHash: new Uint8Array(32) }
      const [user] = users
      const origin = world.origin(user!)
      const claimSignature = signEthClaim(origin, claim, custodyPrivateKey)
      const data = verificationAddEth(origin, {
        ...{ ...claim, claimSignature },
        ...{ verificationType: 0, chainId: 0 },
      })
      assert.equal((await world.submit(world.sign(user!, data))).status, 200)
      assert.equal(await lists(1, { type: 'auth', signer: 9 }), 'listed')
      assert.equal(await lists(1, { type: 'custody', signer: 9 }), 'not_owner')
      const authAddress = fromHex(devAccount(7).custody.address.toLowerCase())!
      await world.app.ledger!.importEvents([authAddressOf(2, authAddress)])
      assert.equal(await lists(2, { type: 'auth', signer: 8 }), 'listed')
      assert.equal(await lists(3, { type: 'auth', signer: 8 }), 'not_owner')
    })

    test('an association for another domain, with another signature or without a part is refused', async () => {
      const server = await serve(undefined)
      const good = await associationOf(1, server.domain)
      const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
      const { payload: otherPayload } = await associationOf(1, 'other.example')
      const cases: [unknown, string][] = [
        [await associationOf(1, `www.${server.domain}`), 'domain_mismatch'],
        [{ ...good, payload: otherPayload }, 'domain_mismatch'],
        [{ ...good, payload: part({}) }, 'domain_mismatch'],
        [{ ...good, payload: part([server.domain]) }, 'domain_mismatch'],
        [{ ...good, signature: part('AAAA') }, 'bad_signature'],
        [{ ...good, signature: '***' }, 'bad_signature'],
        [{ ...good, header: part({ fid: 2, type: 'custody', key: '0x12' }) }, 'bad_signature'],
        [{ ...good, header: 'AAAA' }, 'bad_signature'],
        [
          { ...good, header: part({ fid: -1, type: 'custody', key: good.header }) },
          'bad_signature',
        ],
        [{ header: good.header, payload: good.payload }, 'unsigned'],
        ['text', 'unsigned'],
        [[], 'unsigned'],
        [null, 'unsigned'],
      ]
      world.clock.advance(DAY_MS)
      for (const [association, code] of cases) {
        server.association = association
        const { status, body } = await list(1, server.domain)
        assert.equal(status, 400)
        const what = JSON.stringify(association).slice(0, 80)
        assert.equal(body.errors[0].data.faults.at(-1).code, code, what)
      }
    })

    test('top apps are those that most people opened, once an hour each; recent ones are the own', async () => {
      const [few, many] = [await serve(1), await serve(1, { name: 'Chess' })]
      for (const server of [few, many]) assert.equal((await list(1, server.domain)).status, 200)
      await open(1, few)
      for (const fid of [1, 2, 3]) await open(fid, many)
      for (let i = 0; i < 5; i++) await open(1, few)
      assert.deepEqual((await listed('?list=top')).slice(0, 2), [many.domain, few.domain])
      assert.deepEqual(await listed('?list=recent', 2), [many.domain])
      assert.equal((await world.platform('/v1/mini-apps?list=recent')).status, 401)
      world.clock.advance(31 * DAY_MS)
      await world.app.jobs.run('clean mini apps')
      assert.deepEqual(await listed('?list=recent', 2), [])
    })

    test('a search finds the words of an app in any order, and nothing by signs of a pattern', async () => {
      const server = await serve(2, { name: 'Tide tables', description: 'When the sea comes' })
      assert.equal((await list(2, server.domain)).status, 200)
      for (const q of ['tide', 'SEA%20tide', 'poll%20tables']) {
        assert.deepEqual(await listed(`/search?q=${q}`), [server.domain], q)
      }
      for (const q of ['%25', '_', 'tide%20moon'])
        assert.deepEqual(await listed(`/search?q=${q}`), [], q)
      assert.equal((await world.platform(`/v1/mini-apps/search?q=${'x'.repeat(33)}`)).status, 400)
    })

    test('lists come in pages that neither repeat nor leave out an app', async () => {
      const all = await listed('?list=top&limit=100')
      assert.ok(all.length >= 4)
      for (const which of ['top', 'new']) {
        const seen: string[] = []
        for (let cursor = ''; ; ) {
          const { body } = await world.platform(`/v1/mini-apps?list=${which}&limit=1${cursor}`)
          seen.push(...body.result.apps.map(({ domain }: { domain: string }) => domain))
          if (!body.next) break
          cursor = `&cursor=${body.next.cursor}`
        }
        assert.deepEqual([...seen].sort(), [...all].sort())
      }
    })

    test('an app whose manifest breaks stays for a week, and one that another account has signed goes at once', async () => {
      const [broken, sold] = [await serve(3), await serve(3)]
      for (const server of [broken, sold]) assert.equal((await list(3, server.domain)).status, 200)
      broken.document = 'no manifest'
      sold.association = await associationOf(2, sold.domain)
      world.clock.advance(DAY_MS + 1_000)
      await world.app.jobs.run('refresh mini apps')
      const shown = await listed('?list=top&limit=100')
      assert.ok(shown.includes(broken.domain))
      assert.ok(!shown.includes(sold.domain))
      assert.equal((await one(sold.domain)).body.result.app.faults.at(-1).code, 'author_changed')
      assert.equal((await list(3, sold.domain)).status, 403)
      assert.equal((await list(2, sold.domain)).status, 200)
      world.clock.advance(7 * DAY_MS)
      await world.app.jobs.run('refresh mini apps')
      assert.ok(!(await listed('?list=top&limit=100')).includes(broken.domain))
      assert.ok((await listed('?list=top&limit=100')).includes(sold.domain))
    })

    test('users and tokens move to the domain that a manifest names once its author has listed that too', async () => {
      const [old, fresh, foreign] = [await serve(1), await serve(1), await serve(2)]
      for (const [fid, server] of [
        [1, old],
        [2, foreign],
      ] as const) {
        assert.equal((await list(fid, server.domain)).status, 200)
      }
      const token = world.token(users[2]!)
      const { domain } = old
      const begun = await world.platform('/fc/mini-app-events', {
        body: { domain, event: 'miniapp_added' },
        token,
      })
      const added = await world.platform('/fc/mini-app-events', {
        method: 'PUT',
        body: signEvent(users[2]!, begun.body.result),
        token,
      })
      assert.equal(added.status, 200, JSON.stringify(added.body))
      const own = async () =>
        (await world.platform('/fc/added-mini-apps', { token })).body.result.apps.map(
          (app: { domain: string }) => app.domain,
        )
      const refresh = () => world.operate('/platform/refreshed-mini-apps', { body: { domain } })
      for (const to of [foreign.domain, fresh.domain]) {
        old.manifest.canonicalDomain = to
        assert.equal((await refresh()).status, 200)
        assert.deepEqual(await own(), [domain], 'nothing moves to what the author has not listed')
      }
      assert.equal((await list(1, fresh.domain)).status, 200)
      assert.equal((await refresh()).body.result.app.state, 'faulty')
      assert.deepEqual(await own(), [fresh.domain])
      const sent = await world.platform('/v1/frame-notifications', {
        body: {
          ...{ notificationId: 'moved', title: 'We moved', body: 'Same app.' },
          targetUrl: `${fresh.origin}/`,
          tokens: [added.body.result.notificationDetails.token],
        },
      })
      assert.equal(sent.body.result.successfulTokens.length, 1)
      assert.equal((await one(fresh.domain)).body.result.app.people, 1)
    })

    test('a token of an app that its user had added beside the new one ends when the app moves', async () => {
      const [old, fresh] = [await serve(1), await serve(1)]
      for (const server of [old, fresh]) assert.equal((await list(1, server.domain)).status, 200)
      const token = world.token(users[1]!)
      const add = async ({ domain }: AppServer, notifications: boolean) => {
        const body = { domain, event: 'miniapp_added', notifications }
        const begun = await world.platform('/fc/mini-app-events', { body, token })
        const signed = signEvent(users[1]!, begun.body.result)
        const request = { method: 'PUT', body: signed, token } as const
        return (await world.platform('/fc/mini-app-events', request)).body.result
      }
      const { notificationDetails } = await add(old, true)
      await add(fresh, false)
      old.manifest.canonicalDomain = fresh.domain
      const moved = { body: { domain: old.domain } }
      assert.equal((await world.operate('/platform/refreshed-mini-apps', moved)).status, 200)
      for (const { origin } of [old, fresh]) {
        const sent = await world.platform('/v1/frame-notifications', {
          body: {
            ...{ notificationId: 'late', title: 'Hello', body: '', targetUrl: `${origin}/` },
            tokens: [notificationDetails.token],
          },
        })
        assert.deepEqual(sent.body.result.invalidTokens, [notificationDetails.token])
      }
    })

    test('the app of a suspended author notifies nobody, and does again when the author is restored', async () => {
      const server = await serve(2)
      assert.equal((await list(2, server.domain)).status, 200)
      const token = world.token(users[0]!)
      const body = { domain: server.domain, event: 'miniapp_added' }
      const begun = await world.platform('/fc/mini-app-events', { body, token })
      const signed = signEvent(users[0]!, begun.body.result)
      const request = { method: 'PUT', body: signed, token } as const
      const added = await world.platform('/fc/mini-app-events', request)
      const tokens = [added.body.result.notificationDetails.token]
      const notify = async () => {
        const fields = { notificationId: 'win', title: 'You won', body: 'Pay here' }
        const notice = { ...fields, targetUrl: `${server.origin}/`, tokens }
        return (await world.platform('/v1/frame-notifications', { body: notice })).body.result
      }
      const decide = async (path: string) => {
        const reason = { body: { reason: 'test' } }
        assert.equal((await world.operate(`/moderation/accounts/2/${path}`, reason)).status, 200)
      }
      await decide('suspend')
      assert.equal((await notify()).failedTokens[0].reason, 'unknown')
      await decide('restore')
      assert.deepEqual((await notify()).successfulTokens, tokens)
      const told = async () => {
        const { result } = (await world.platform('/fc/mini-app-notices', { token })).body
        return result.notices.filter(({ title }: { title: string }) => title === 'You won').length
      }
      assert.equal(await told(), 1)
      await decide('suspend')
      assert.equal(await told(), 0)
      await decide('restore')
    })

    test('a manifest of lists in lists is refused, and apps that fail keep no other from being read', async () => {
      const [deep, gone, ...others] = await Promise.all(Array.from({ length: 8 }, () => serve(3)))
      for (const { domain } of [deep!, gone!]) assert.equal((await list(3, domain)).status, 200)
      world.clock.advance(DAY_MS)
      for (const { domain } of others) assert.equal((await list(3, domain)).status, 200)
      const nested = JSON.parse('['.repeat(15_000) + ']'.repeat(15_000))
      deep!.document = { miniapp: { nested }, frame: { nested: [...nested] } }
      const refused = await list(3, deep!.domain)
      assert.equal(refused.status, 400)
      assert.match(refused.body.errors[0].message, /in more than 32 others/)
      gone!.document = 'no manifest'
      gone!.pages.set('/.well-known/farcaster.json', (_, response) => {
        const body = { domain: gone!.domain }
        const request = { method: 'DELETE', body, token: world.token(users[2]!) } as const
        void world.platform('/fc/mini-apps', request).then(() => response.writeHead(404).end())
      })
      world.clock.advance(DAY_MS + 1_000)
      const before = others.at(-1)!.asked()
      await world.app.jobs.run('refresh mini apps')
      assert.equal((await one(gone!.domain)).status, 404)
      assert.equal(others.at(-1)!.asked(), before + 1)
    })

    test('an account lists a bounded number of apps, and no app gets the id of one that is gone', async () => {
      const { storage } = world.app
      const row = {
        ...({ state: 'listed', noindex: 1 } as const),
        ...{ author_fid: 3, name: 'x', category: null, words: 'x' },
        ...{ manifest: '{}', chains: '', association: null, fault: null },
        ...{ created_at: 0, looked_at: Number.MAX_SAFE_INTEGER, good_at: 0 },
      }
      const idOf = async (domain: string) => (await storage.of(miniAppRows).byDomain(domain))!.id
      const added: number[] = []
      for (let i = (await storage.of(miniAppRows).ofAuthor(3, 100)).length; i < 100; i++) {
        const domain = `app${i}.example`
        await storage.write('all/mini-apps', (tx) => tx.of(miniAppRows).insert({ ...row, domain }))
        added.push(await idOf(domain))
      }
      world.clock.advance(DAY_MS)
      const server = await serve(3)
      const refused = await list(3, server.domain)
      assert.match(refused.body.errors[0].message, /has listed 100 mini apps/)
      await storage.write('all/mini-apps', async (tx) => {
        for (const id of added) await tx.of(miniAppRows).remove(id)
      })
      assert.equal((await list(3, server.domain)).status, 200)
      assert.ok((await idOf(server.domain)) > added.at(-1)!)
    })

    test('the app of a suspended author is in no list and cannot be opened, and an app may ask to be in no list', async () => {
      const [quiet, hidden] = [await serve(1, { noindex: true }), await serve(2)]
      assert.equal((await list(1, quiet.domain)).status, 200)
      assert.equal((await list(2, hidden.domain)).status, 200)
      const suspend = (path: string) =>
        world.operate(`/moderation/accounts/2/${path}`, { body: { reason: 'test' } })
      assert.ok((await suspend('suspend')).status < 300)
      const shown = await listed('?list=top&limit=100')
      assert.ok(!shown.includes(quiet.domain) && !shown.includes(hidden.domain))
      const framed = async () => {
        const { status } = await fetch(`${world.app.urls.web}/frame/${hidden.domain}`)
        return status
      }
      assert.equal((await one(quiet.domain)).status, 200)
      assert.deepEqual([(await one(hidden.domain)).status, await framed()], [404, 404])
      assert.ok((await suspend('restore')).status < 300)
      assert.deepEqual([(await one(hidden.domain)).status, await framed()], [200, 200])
      assert.ok((await listed('?list=top&limit=100')).includes(hidden.domain))
    })

    test('an author takes an app back, and nobody else does', async () => {
      const server = await serve(1)
      assert.equal((await list(1, server.domain)).status, 200)
      const withdraw = (fid: number) =>
        world.platform('/fc/mini-apps', {
          method: 'DELETE',
          body: { domain: server.domain },
          token: world.token(users[fid - 1]!),
        })
      assert.equal((await withdraw(2)).status, 403)
      assert.equal((await withdraw(1)).status, 200)
      assert.equal((await one(server.domain)).status, 404)
    })

    test('an account has manifests fetched 20 times a day', async () => {
      const server = await serve(3)
      world.clock.advance(DAY_MS)
      for (let i = 0; i < 20; i++) assert.equal((await list(3, server.domain)).status, 200)
      const { status, headers } = await list(3, server.domain)
      assert.equal(status, 429)
      assert.ok(Number(headers.get('retry-after')) > 0)
      world.clock.advance(DAY_MS)
      assert.equal((await list(3, server.domain)).status, 200)
    })

    test('this server is no mini app of itself, by no name of this machine', async () => {
      for (const name of ['127.0.0.1', 'localhost']) {
        for (const url of [world.app.urls.web, world.app.urls.platform]) {
          const { status, body } = await list(1, `${name}:${new URL(url).port}`)
          assert.equal(status, 400)
          assert.match(body.errors[0].message, /cannot be a mini app of itself/)
        }
      }
      for (const domain of ['localhost:1', '[::1]:3000', '127.0.0.2:3000']) {
        assert.equal((await list(1, domain)).status, 400)
      }
    })
  })
}
