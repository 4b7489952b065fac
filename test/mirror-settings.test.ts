// Settings with which a mirror does not start, and data that are not those of a mirror.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, readConfig } from '../src/config.ts'
import { MirrorDataError } from '../src/features/mirror/claim.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { startFakeHub } from './fake-hub/fake-hub.ts'
import { Author } from './mirror-authors.ts'
import {
  allOf,
  createMirror,
  hashesOf,
  heights,
  mirrorSettings,
  sourceOf,
} from './mirror-support.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, WORLD_START_MS } from './world.ts'

const URLS = { ROOKERY_MIRROR_URLS: 'grpcs://hub.example:3383' }

function faultsOf(env: Readonly<Record<string, string>>): readonly string[] {
  try {
    readConfig(env, 'development')
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.faults
  }
}

test('settings that would make a mirror another network than its source are refused by name', () => {
  assert.deepEqual(faultsOf(URLS), [])
  for (const [variable, value] of [
    ['ROOKERY_MIRROR_ENDED', 'yes'],
    ['ROOKERY_REVOKE_ON_KEY_REMOVAL', 'true'],
    ['ROOKERY_ENFORCE_BLOCKS', 'true'],
    ['ROOKERY_RELAYER_KEY', `0x${'42'.repeat(32)}`],
  ] as const) {
    const faults = faultsOf({ ...URLS, [variable]: value }).join('\n')
    assert.match(faults, new RegExp(`${variable} is not for a mirror`), faults)
  }
})

test('settings of a mirror are refused without a hub to mirror', () => {
  for (const [variable, value] of [
    ['ROOKERY_MIRROR_HEADERS', 'x-api-key=sesame'],
    ['ROOKERY_MIRROR_SCOPE', 'all'],
    ['ROOKERY_MIRROR_RATE', '5'],
    ['ROOKERY_MIRROR_SUBMITS', 'forward'],
  ] as const) {
    const faults = faultsOf({ [variable]: value }).join('\n')
    assert.match(faults, new RegExp(`${variable}.*ROOKERY_MIRROR_URLS`), faults)
    assert.doesNotMatch(faults, /sesame/)
  }
})

test('addresses of a source are encrypted, or say that they are not, and have no keys in them', () => {
  for (const url of [
    'grpcs://hub.example:3383',
    'grpc://127.0.0.1:3383',
    'grpc://[::1]:3383',
    'grpc://hub.internal:3383?insecure=yes',
    'grpcs://a.example:1,grpcs://b.example:2',
  ]) {
    assert.deepEqual(faultsOf({ ROOKERY_MIRROR_URLS: url }), [], url)
  }
  for (const [url, fault] of [
    ['grpc://hub.example:3383', /must end in \?insecure=yes for hub\.example/],
    ['https://hub.example:3383', /must be grpcs:\/\/host:port/],
    ['grpcs://hub.example', /must be grpcs:\/\/host:port/],
    ['grpcs://key@hub.example:3383', /without user.*ROOKERY_MIRROR_HEADERS/],
    ['grpcs://hub.example:3383/v1', /without user, password and path/],
  ] as const) {
    assert.match(faultsOf({ ROOKERY_MIRROR_URLS: url }).join(), fault, url)
  }
})

for (const engine of enginesOf(import.meta.url)) {
  test(`data of a server with accounts of its own on ${engine} are refused to a mirror`, async () => {
    const world = await createWorld({ engine })
    try {
      await world.account(1)
      const refused = world.restart(mirrorSettings({ address: '127.0.0.1:1' }))
      await assert.rejects(refused, MirrorDataError)
      await world.restart({ ROOKERY_MIRROR_URLS: '', ROOKERY_MIRROR_MIN_FREE_GIB: '' })
    } finally {
      await world.close()
    }
  })

  test(`data of a mirror on ${engine} are served by no other server, unless the mirror has ended`, async () => {
    const source = await createWorld({ engine })
    const [account] = await source.accounts([11])
    const cast = source.sign(account!, castAdd(source.origin(account!), { text: 'hi' }))
    await source.submit(cast)
    const mirror = await createMirror(sourceOf(source), { engine })
    try {
      await mirror.follow('fid:11')
      await mirror.settled(allOf(source))
      const unset = { ROOKERY_MIRROR_URLS: '', ROOKERY_MIRROR_MIN_FREE_GIB: '' }
      await assert.rejects(mirror.restart(unset), (error) => {
        assert.ok(error instanceof MirrorDataError)
        assert.match(error.message, /a mirror of .*ROOKERY_MIRROR_ENDED=yes/)
        return true
      })
      await mirror.restart({ ROOKERY_MIRROR_ENDED: 'yes' })
      assert.equal(Object.keys(await hashesOf(mirror.app.storage, [11])).length, 1)
      assert.equal((await mirror.get('/v1/castsByFid?fid=11')).body.messages.length, 1)
      const next = source.sign(account!, castAdd(source.origin(account!), { text: 'late' }))
      const answer = await mirror.submit(next)
      assert.equal(answer.body.errCode, 'not_implemented')
      assert.match(answer.body.details, /was a mirror/)
    } finally {
      await mirror.close()
      await source.close()
    }
  })

  test(`with too little free disk a mirror on ${engine} reads nobody, says so, and goes on when there is more`, async () => {
    const fake = await startFakeHub({ now: () => WORLD_START_MS })
    const author = new Author(fake.account(1))
    fake.merge(author.sign((origin) => castAdd(origin, { text: 'hi' })))
    const mirror = await createMirror(
      { address: fake.address, now: () => WORLD_START_MS },
      { engine, env: { ROOKERY_MIRROR_MIN_FREE_GIB: '100000' } },
    )
    try {
      await mirror.follow('fid:1')
      fake.startBlocks(250)
      if (engine === 'sqlite') {
        await until(async () => {
          const { problem, people } = await mirror.status()
          return /100000 GiB of disk/.test(problem ?? '') && people.waiting === 1
        })
        await mirror.restart({ ROOKERY_MIRROR_MIN_FREE_GIB: '0' })
      }
      // The disk of a database server is not looked at.
      await mirror.settled(heights(fake))
      assert.equal((await mirror.status()).people.live, 1)
    } finally {
      await mirror.close()
      await fake.close()
    }
  })
}
