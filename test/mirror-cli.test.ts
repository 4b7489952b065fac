// The commands of a mirror, and a mirror as people start it.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { adviceOf } from '../src/features/mirror/estimate.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { Network } from '../src/kernel/protocol/wire/message_pb.js'
import { allOf, createMirror, type MirrorWorld, sourceOf } from './mirror-support.ts'
import { createPlace, ROOT, startCommands, startProgram } from './program.ts'
import { until } from './until.ts'
import { createWorld, type World } from './world.ts'

describe('the commands of a mirror', () => {
  const commands = startCommands()
  let source: World
  let mirror: MirrorWorld
  before(async () => {
    source = await createWorld({ startMs: Date.now() })
    for (const account of await source.accounts([2, 3])) {
      await source.submit(source.sign(account, castAdd(source.origin(account), { text: 'hi' })))
    }
    mirror = await createMirror(sourceOf(source))
  })
  after(async () => {
    commands.stop()
    await mirror.close()
    await source.close()
  })

  const run = async (command: string, ...args: string[]) => {
    const env = { ROOKERY_OPS_URL: mirror.app.urls.operations }
    const { code, stdout, stderr } = await commands.run(env, ...command.split(' '), ...args)
    assert.equal(code, 0, stderr)
    return stdout
  }

  test('people are added, shown, compared and removed on the command line', async () => {
    // Whom it names is found out at once, before the answer or after it.
    assert.match(
      await run('mirror add', 'fid:2,3'),
      /^fid:2,3: (2 people|the source is being asked: rookery mirror rules)$/m,
    )
    await mirror.settled(allOf(source))
    assert.match(await run('mirror status'), /complete 2 of 2, .*, 0 quarantined, 0 differ/)
    assert.match(await run('mirror rules'), /fid:2,3: 2 people/)
    assert.match(await run('mirror verify', '--level', 'lists'), /2 people compared, 0 sets differ/)
    const env = { ROOKERY_OPS_URL: mirror.app.urls.operations }
    const ofRookery = await commands.run(env, 'mirror', 'verify', '--level', 'roots')
    assert.deepEqual([ofRookery.code, ofRookery.stdout], [1, ''])
    assert.match(ofRookery.stderr, /only Snapchain has roots: use --level lists/)
    assert.deepEqual(JSON.parse(await run('mirror verify', '--json')), {
      checked: 2,
      differences: [],
      notRead: 0,
      notMirrored: [],
    })
    assert.equal(await run('mirror quarantine'), '')
    assert.match(await run('mirror retry'), /0 people/)
    assert.match(await run('mirror pause'), /, paused/)
    assert.match(await run('mirror resume'), /, following/)
    assert.match(await run('mirror compare', '2'), /Fid 2 is compared again/)
    assert.match(await run('mirror remove', 'fid:2,3'), /Nobody is mirrored/)
  })

  test('a dry run says what a mirror would cost, and a rule that is none is refused', async () => {
    const url = `grpc://${source.app.urls.grpc}`
    const text = await run('mirror start', url, '--people', 'fid:2,3', '--dry-run')
    assert.match(text, /2 people, 2 of them asked/)
    assert.match(text, /Messages: 2 \(95 %: 2 to 2\)/)
    assert.match(text, /without views, [1-9]\d* MiB are free\.\n/)
    assert.doesNotMatch(text, /DATABASE_URL|not enough/)
    const json = JSON.parse(
      await run('mirror start', url, '--people', 'fid:2', '--dry-run', '--json'),
    )
    assert.ok(json.diskFreeBytes > 0)
    assert.deepEqual(json.advice, [])
    const refused = await commands.run({}, 'mirror', 'start', url, '--people', '7', '--dry-run')
    assert.equal(refused.code, 1)
    assert.match(refused.stderr, /a rule is fid:1,2,3, @name, file:PATH/)
  })

  test('a dry run advises PostgreSQL for a whole network, and another disk where there is too little', () => {
    const messages = { least: 1, expected: 90_000_000, most: 110_000_000 }
    const found = { messages, diskBytes: 5_000, network: Network.MAINNET }
    const store = { network: Network.MAINNET }
    const [advice, ...others] = adviceOf(found, { ...store, isEmbedded: true, freeBytes: 5_000 })
    assert.match(advice!, /up to 100 million messages: set DATABASE_URL/)
    assert.deepEqual(others, [])
    assert.deepEqual(adviceOf(found, { ...store, isEmbedded: false, freeBytes: undefined }), [])
    const few = { ...found, messages: { ...messages, most: 1 }, diskBytes: 5_001 }
    const [disk] = adviceOf(few, { ...store, isEmbedded: true, freeBytes: 5_000 })
    assert.match(disk!, /not enough free disk/)
    const elsewhere = { network: Network.DEVNET, isEmbedded: false, freeBytes: undefined }
    assert.deepEqual(adviceOf(found, elsewhere), [
      'The source is of another network, mainnet, and this server of devnet: set ROOKERY_NETWORK=mainnet and begin with an empty store.',
    ])
  })

  test('the five lines at the beginning of the documentation run as they stand', async () => {
    const page = readFileSync(join(ROOT, 'docs', 'mirror.md'), 'utf8')
    const [, block] = /```console\n(.*?)```/s.exec(page)!
    const lines = [...block!.matchAll(/^\$ (.*)$/gm)].map(([, line]) => line!)
    assert.equal(lines.length, 5)
    const [exported, dryRun, start, status, verify] = lines
      .map((line) => line.replace('grpcs://hub.example:3383', `grpc://${source.app.urls.grpc}`))
      .map((line) => line.split(' '))
    const place = await createPlace('sqlite')
    const given = Object.fromEntries(exported!.slice(1).map((one) => one.split('=')))
    // The hub and the disk of the reader are others.
    const env = {
      ...given,
      ...place.env,
      ...{ ROOKERY_NETWORK: 'devnet', ROOKERY_MIRROR_MIN_FREE_GIB: '0' },
    }
    const runAs = async (as: Record<string, string>, words: readonly string[]) => {
      const { code, stdout, stderr } = await commands.run(as, ...words.slice(1))
      assert.equal(code, 0, stderr)
      return stdout
    }
    try {
      assert.match(await runAs(env, dryRun!), /2 people, 2 of them asked/)
      const program = await startProgram('mirror', env, start!.slice(2))
      try {
        const operator = { ...given, ROOKERY_OPS_URL: program.operations }
        await until(async () => /complete 2 of 2/.test(await runAs(operator, status!)))
        assert.match(await runAs(operator, verify!), /2 people compared, 0 sets differ/)
      } finally {
        await program.stop()
      }
    } finally {
      await place.remove()
    }
  })

  test('one command runs a mirror, which has the messages of the source and shows no key', async () => {
    const place = await createPlace('sqlite')
    const env = {
      ...place.env,
      ROOKERY_NETWORK: 'devnet',
      ROOKERY_PUBLIC_URL: 'http://127.0.0.1:2290',
      ROOKERY_MIRROR_MIN_FREE_GIB: '0',
      ROOKERY_LOG_LEVEL: 'info',
    }
    const url = `grpc://${source.app.urls.grpc}`
    const words = ['start', url, '--people', 'fid:2', '--header', 'x-api-key=sesame', '--json']
    try {
      const program = await startProgram('mirror', env, words)
      await until(async () => {
        const answer = await fetch(`${program.hub}/v1/castsByFid?fid=2`)
        return ((await answer.json()) as { messages: unknown[] }).messages.length === 1
      }).finally(() => program.stop())
      const { stdout, stderr } = program.output
      assert.doesNotMatch(stdout + stderr, /sesame/)
    } finally {
      await place.remove()
    }
  })
})
