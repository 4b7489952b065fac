// Actions: what is listed, in which order, who has them, and how the operator keeps them.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { startApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { MAX_INSTALLED_ACTIONS } from '../src/features/actions/installs.ts'
import { ACTIONS } from '../src/features/actions/port.ts'
import { createLogger } from '../src/kernel/http/logger.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { createWorld, enginesOf, type TestAccount, type World } from './world.ts'

/** Documents of actions on this machine, as their authors would serve them. */
type Author = {
  readonly at: string
  readonly server: Server
  readonly asked: () => number
  /** Undefined: there is none. */
  serve(path: string, document: object | undefined): void
}

const CAST = {
  name: 'Upvote',
  icon: 'thumbsup',
  description: 'Says yes.',
  aboutUrl: 'https://example.com/about',
  action: { type: 'post', postUrl: 'https://example.com/post' },
}
const COMPOSER = {
  type: 'composer',
  name: 'Poll',
  icon: 'tasklist',
  description: 'Asks everybody.',
  imageUrl: 'https://example.com/logo.png',
  action: { type: 'post' },
}

/** What a document becomes. */
const DOCUMENT = {
  name: 'Upvote',
  icon: 'thumbsup',
  description: 'Says yes.',
  about_url: null,
  image_url: null,
  post_url: 'https://example.com/post',
}

for (const engine of enginesOf(import.meta.url)) {
  describe(`actions on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let users: TestAccount[]
    let author: Author

    before(async () => {
      world = await createWorld({ engine })
      users = await world.accounts(Array.from({ length: 30 }, (_, i) => i + 1))
      author = await startAuthor()
    })
    after(async () => {
      author.server.close()
      await world.close()
    })

    const discover = async (query: string, what = 'actions') => {
      const { status, body } = await world.platform(`/v2/discover-${what}?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      return body
    }
    const pathsIn = (body: { result: { actions: { actionUrl: string }[] } }) =>
      body.result.actions.map(({ actionUrl }) => actionUrl.replace(author.at, ''))
    const add = (path: string) =>
      world.operate('/platform/actions', { body: { actionUrl: author.at + path } })
    const list = async (path: string, document: object) => {
      author.serve(path, document)
      assert.equal((await add(path)).status, 200)
    }
    const change = (method: 'POST' | 'DELETE', fid: number, path: string) =>
      world.platform('/fc/installed-actions', {
        method,
        body: { actionUrl: author.at + path },
        token: world.token(users[fid - 1]!),
      })
    const install = async (fid: number, path: string) => {
      assert.deepEqual((await change('POST', fid, path)).body, { result: { success: true } })
    }
    const uninstall = async (fid: number, path: string) => {
      assert.deepEqual((await change('DELETE', fid, path)).body, { result: { success: true } })
    }
    const feature = (...paths: string[]) =>
      world.operate('/platform/featured-actions', {
        method: 'PUT',
        body: { actionUrls: paths.map((path) => author.at + path) },
      })
    const own = async (fid: number) =>
      (await world.platform('/fc/installed-actions', { token: world.token(users[fid - 1]!) })).body
    const listed = async (path: string) => {
      const { body } = await world.operate('/platform/actions?limit=1000')
      return body.result.actions.find(
        (one: { actionUrl: string }) => one.actionUrl === author.at + path,
      )
    }

    test('a new network has no actions', async () => {
      const none = { result: { actions: [] } }
      assert.deepEqual(await discover('list=top'), none)
      assert.deepEqual(await discover('list=top', 'composer-actions'), none)
      assert.deepEqual(await discover('list=featured', 'composer-actions'), none)
    })

    test('an unknown list of actions is refused', async () => {
      const words = { actions: ['top'], 'composer-actions': ['top', 'featured'] }
      for (const [what, allowedValues] of Object.entries(words)) {
        for (const query of ['', 'list=', 'list=recent', 'list=TOP', 'limit=5']) {
          const { status, body } = await world.platform(`/v2/discover-${what}?${query}`)
          assert.equal(status, 400)
          const [{ message, ...fault }] = body.errors
          assert.deepEqual(fault, {
            instancePath: '/list',
            schemaPath: '#/properties/list/enum',
            keyword: 'enum',
            params: { allowedValues },
          })
          assert.equal(message, 'must be equal to one of the allowed values')
        }
      }
      assert.equal((await world.platform('/v2/discover-actions?list=featured')).status, 400)
      for (const limit of [0, 101, -1, 'x']) {
        const { body } = await world.platform(`/v2/discover-actions?list=top&limit=${limit}`)
        assert.equal(body.errors[0].instancePath, '/limit')
      }
      for (const cursor of ['x', 'bnVsbA']) {
        const { body } = await world.platform(`/v2/discover-actions?list=top&cursor=${cursor}`)
        assert.equal(body.errors[0].instancePath, '/cursor')
      }
    })

    test('an action is listed with the fields of its document', async () => {
      await list('/cast', CAST)
      await list('/composer', COMPOSER)
      const { action: _, ...texts } = CAST
      assert.deepEqual(await discover('list=top'), {
        result: {
          actions: [
            {
              ...texts,
              actionUrl: `${author.at}/cast`,
              action: { actionType: 'post', postUrl: 'https://example.com/post' },
            },
          ],
        },
      })
      assert.deepEqual(await discover('list=top', 'composer-actions'), {
        result: {
          actions: [
            {
              name: 'Poll',
              icon: 'tasklist',
              description: 'Asks everybody.',
              actionUrl: `${author.at}/composer`,
              action: { actionType: 'post', postUrl: `${author.at}/composer` },
              imageUrl: 'https://example.com/logo.png',
            },
          ],
        },
      })
    })

    test('adding an action is refused when its URL has no valid document', async () => {
      author.serve('/not', { ...CAST, name: 'x'.repeat(31) })
      const cases = [
        ['/not', "name of the action's document must be at most 30 characters"],
        ['/missing', `${author.at}/missing answered 404`],
      ] as const
      for (const [path, message] of cases) {
        const { status, body } = await add(path)
        assert.deepEqual([status, body.message, body.field], [400, message, 'actionUrl'])
      }
      for (const actionUrl of ['http://10.0.0.1/', 'https://[::1]:1/', 'nonsense', 'ftp://x/']) {
        const { status, body } = await world.operate('/platform/actions', { body: { actionUrl } })
        assert.deepEqual([status, body.field], [400, 'actionUrl'], actionUrl)
      }
      assert.equal(await listed('/not'), undefined)
    })

    test('actions with most users come first, and older ones before equally popular ones', async () => {
      for (const path of ['/b', '/c', '/d', '/e']) await list(path, CAST)
      for (const fid of [1, 2, 3]) await install(fid, '/d')
      for (const fid of [1, 2]) await install(fid, '/b')
      for (const fid of [4, 5]) await install(fid, '/e')
      assert.deepEqual(pathsIn(await discover('list=top')), ['/d', '/b', '/e', '/cast', '/c'])
      await uninstall(2, '/d')
      await uninstall(3, '/d')
      assert.deepEqual(pathsIn(await discover('list=top')), ['/b', '/e', '/d', '/cast', '/c'])
    })

    test('pages list each action once, and the last page has no cursor', async () => {
      const whole = pathsIn(await discover('list=top'))
      for (let size = 1; size <= whole.length + 1; size++) {
        const all: string[] = []
        let cursor = ''
        for (let pages = 1; ; pages++) {
          const page = await discover(`list=top&limit=${size}${cursor}`)
          all.push(...pathsIn(page))
          assert.equal(pages, Math.ceil(all.length / size))
          if (!page.next) break
          cursor = `&cursor=${page.next.cursor}`
        }
        assert.deepEqual(all, whole, `pages of ${size}`)
      }
    })

    test('actions that keep their place are neither skipped nor repeated while others change', async () => {
      const first = await discover('list=top&limit=2')
      assert.deepEqual(pathsIn(first), ['/b', '/e'])
      for (const fid of [7, 8, 9]) await install(fid, '/c') // from the end to the front
      await uninstall(4, '/e') // from before the cursor to after it
      await list('/new', CAST)
      const rest = pathsIn(await discover(`list=top&cursor=${first.next.cursor}`))
      assert.deepEqual(
        rest.filter((path) => ['/d', '/cast'].includes(path)),
        ['/d', '/cast'],
      )
      assert.deepEqual(new Set(rest).size, rest.length)
      assert(!rest.includes('/b'))
    })

    test('installing twice counts once, and uninstalling a missing action counts nothing', async () => {
      const before = (await listed('/b')).addedCount
      for (let i = 0; i < 3; i++) await install(10, '/b')
      assert.equal((await listed('/b')).addedCount, before + 1)
      for (let i = 0; i < 3; i++) await uninstall(10, '/b')
      assert.equal((await listed('/b')).addedCount, before)
    })

    test("a user's actions are listed with their install times, the newest first", async () => {
      await install(11, '/composer')
      world.clock.advance(2_000)
      await install(11, '/cast')
      const { actions } = (await own(11)).result
      assert.deepEqual(pathsIn(await own(11)), ['/cast', '/composer'])
      const [cast, composer] = actions
      assert.deepEqual([cast.installedAt - composer.installedAt, cast.imageUrl], [2, undefined])
      assert.equal(composer.imageUrl, COMPOSER.imageUrl)
      assert.deepEqual(await own(12), { result: { actions: [] } })
    })

    test('an unlisted action cannot be installed, and installing requires a token', async () => {
      const unknown = await change('POST', 1, '/unknown')
      assert.deepEqual(
        [unknown.status, unknown.body.errors[0].message],
        [404, `Action ${author.at}/unknown does not exist`],
      )
      await uninstall(1, '/unknown')
      for (const body of [{ actionUrl: 'x' }, { actionUrl: 5 }, {}, { actionUrl: '' }]) {
        const token = world.token(users[0]!)
        const { status, body: answer } = await world.platform('/fc/installed-actions', {
          body,
          token,
        })
        assert.deepEqual([status, answer.field], [400, 'actionUrl'])
      }
      const { status } = await world.platform('/fc/installed-actions')
      assert.equal(status, 401)
    })

    test('the number of actions of a user is bounded', async () => {
      for (let i = 0; i <= MAX_INSTALLED_ACTIONS; i++) {
        const read = { kind: 'cast' as const, document: { ...DOCUMENT, name: `many ${i}` } }
        await world.app.of(ACTIONS).catalogue.put(`${author.at}/many/${i}`, read)
      }
      for (let i = 0; i < MAX_INSTALLED_ACTIONS; i++) await install(13, `/many/${i}`)
      const { status, body } = await change('POST', 13, `/many/${MAX_INSTALLED_ACTIONS}`)
      assert.deepEqual([status, body.field], [400, 'actionUrl'])
      assert.equal((await listed(`/many/${MAX_INSTALLED_ACTIONS}`)).addedCount, 0)
      // One that the user has already is no further one.
      await install(13, '/many/0')
    })

    test('after fifty concurrent installs and uninstalls the count equals the number of users', async () => {
      // On PostgreSQL half of them at another program.
      const second = engine === 'postgres' ? await startBeside(world) : world.app
      const races = Array.from({ length: 50 }, async (_, i) => {
        const { status } = await fetch(
          `${(i % 2 === 0 ? world.app : second).urls.platform}/fc/installed-actions`,
          {
            method: i % 3 === 0 ? 'DELETE' : 'POST',
            headers: {
              'content-type': 'application/json',
              authorization: `Bearer ${world.token(users[13 + (i % 7)]!)}`,
            },
            body: JSON.stringify({ actionUrl: `${author.at}/e` }),
          },
        )
        assert.equal(status, 200)
      })
      await Promise.all(races).finally(() => second !== world.app && second.stop())
      const installed = await Promise.all(users.map(({ fid }) => own(fid)))
      const count = installed.filter((one) => pathsIn(one).includes('/e')).length
      assert.equal((await listed('/e')).addedCount, count)
    })

    test('the operator recommends composer actions in an order', async () => {
      for (const path of ['/p1', '/p2', '/p3']) await list(path, COMPOSER)
      assert.equal((await feature('/p3', '/p1', '/composer')).status, 200)
      const featured = async (query = '') => discover(`list=featured${query}`, 'composer-actions')
      assert.deepEqual(pathsIn(await featured()), ['/p3', '/p1', '/composer'])
      const first = await featured('&limit=2')
      assert.deepEqual(pathsIn(first), ['/p3', '/p1'])
      assert.deepEqual(await featured(`&limit=2&cursor=${first.next.cursor}`), {
        result: { actions: (await featured()).result.actions.slice(2) },
      })

      const cases = [
        [['/p1', '/cast'], 400, 'actionUrls.1'],
        [['/p1', '/p2', '/p1'], 400, 'actionUrls.2'],
        [['/unknown'], 404, 'actionUrls.0'],
      ] as const
      for (const [paths, expected, field] of cases) {
        const { status, body } = await feature(...paths)
        assert.deepEqual([status, body.field], [expected, field])
      }
      assert.deepEqual(pathsIn(await featured()), ['/p3', '/p1', '/composer'])
      assert.equal((await feature('/p2')).status, 200)
      assert.deepEqual(pathsIn(await featured()), ['/p2'])
      assert.equal((await feature()).status, 200)
      assert.deepEqual(pathsIn(await featured()), [])
    })

    test('a refreshed action has the new fields of its document and keeps its users', async () => {
      await install(1, '/p1')
      author.serve('/p1', { ...COMPOSER, name: 'Better poll', description: 'More.' })
      const refresh = (path: string) =>
        world.operate('/platform/refreshed-actions', { body: { actionUrl: author.at + path } })
      const { body } = await refresh('/p1')
      assert.deepEqual([body.result.action.name, body.result.action.addedCount], ['Better poll', 1])

      author.serve('/p1', undefined)
      const failed = await refresh('/p1')
      assert.deepEqual([failed.status, failed.body.message], [400, `${author.at}/p1 answered 404`])
      const kept = await listed('/p1')
      assert.deepEqual([kept.name, kept.fault], ['Better poll', `${author.at}/p1 answered 404`])

      author.serve('/p1', CAST)
      const { body: other } = await refresh('/p1')
      assert.match(other.message, /was a composer action and is a cast action now/)
      author.serve('/p1', COMPOSER)
      assert.equal((await refresh('/p1')).body.result.action.fault, undefined)
      assert.equal((await refresh('/unknown')).status, 404)
    })

    test('every document is asked for once a day', async () => {
      const { catalogue } = world.app.of(ACTIONS)
      author.serve('/p2', { ...COMPOSER, name: 'Of today' })
      await catalogue.refreshStale()
      assert.equal((await listed('/p2')).name, 'Poll')
      world.clock.advance(DAY_MS + 1_000)
      // Two processes at once ask for each document once.
      const asked = author.asked()
      await Promise.all([catalogue.refreshStale(), catalogue.refreshStale()])
      assert.equal((await listed('/p2')).name, 'Of today')
      assert.equal((await listed('/many/0')).fault, `${author.at}/many/0 answered 404`)
      const { body } = await world.operate('/platform/actions?limit=1000')
      assert.equal(author.asked() - asked, body.result.actions.length)
    })

    test('a removed action is removed from every list and every user', async () => {
      await install(25, '/composer')
      await feature('/composer')
      const remove = () =>
        world.operate('/platform/actions', {
          method: 'DELETE',
          body: { actionUrl: `${author.at}/composer` },
        })
      for (let i = 0; i < 2; i++) assert.equal((await remove()).status, 200)
      const none = await discover('list=featured', 'composer-actions')
      assert.deepEqual(pathsIn(none), [])
      const top = await discover('list=top', 'composer-actions')
      assert(!pathsIn(top).includes('/composer'))
      assert.deepEqual(await own(25), { result: { actions: [] } })
      // What comes back begins anew.
      await list('/composer', COMPOSER)
      assert.equal((await listed('/composer')).addedCount, 0)
    })
  })
}

const startBeside = (world: World) =>
  startApp({
    config: readConfig(world.env, 'development'),
    clock: world.clock,
    logger: createLogger({ level: 'fatal' }),
  })

async function startAuthor(): Promise<Author> {
  const documents = new Map<string, object>()
  let asked = 0
  const server = createServer((request, response) => {
    asked++
    const document = documents.get(request.url!)
    response.writeHead(document ? 200 : 404, { 'content-type': 'application/json' })
    response.end(JSON.stringify(document ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    at: `http://127.0.0.1:${port}`,
    server,
    asked: () => asked,
    serve: (path, document) => {
      if (document) documents.set(path, document)
      else documents.delete(path)
    },
  }
}
