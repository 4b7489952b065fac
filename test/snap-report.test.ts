// What a development network says about snaps: faults with their rules and mends, presses as accounts, and the example.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { RULES } from '../src/features/snaps/faults.ts'
import { type Network, startNetwork } from '../src/testing/index.ts'
import { startExampleSnap } from './example-snap.ts'
import { ROOT, startCommands } from './program.ts'
import {
  type Page,
  pageOf,
  SNAP_TYPE,
  type SnapServer,
  stack,
  startSnapServer,
  submit,
  text,
} from './snap-server.ts'

describe('snaps of developers', { concurrency: 1 }, () => {
  let network: Network
  let snap: SnapServer
  let example: Awaited<ReturnType<typeof startExampleSnap>>
  const commands = startCommands()

  before(async () => {
    network = await startNetwork()
    snap = await startSnapServer()
    example = await startExampleSnap(network.urls.web)
  })
  after(async () => {
    commands.stop()
    example?.stop()
    snap?.close()
    await network?.stop()
  })

  const faultsAt = async (path: string) => {
    const { faults } = await network.snap(`${snap.origin}${path}`).report()
    return faults.map(({ severity, rule, path }) => [severity, rule, path ?? ''].join(' ').trim())
  }
  const check = (...args: string[]) =>
    commands.run({ ROOKERY_OPS_URL: network.urls.operations }, 'snap', 'check', ...args)

  test('the example has no faults, accepts a press that is signed rightly and refuses every other', async () => {
    const report = await network.snap(example.url).report(network.accounts[1])
    assert.deepEqual(report.faults, [])
    assert.equal(report.isReady, true)
    const { stdout, code } = await check(example.url, '--press-as', '3')
    assert.deepEqual([stdout, code], [`${example.url} has no faults\n`, 0])
  })

  test('a suite presses buttons as accounts and gets the next page: each account has one vote', async () => {
    const [, , heron, puffin] = network.accounts
    const poll = await network.snap(example.url).open()
    assert.deepEqual(poll.buttons, ['Vote'])
    assert.deepEqual(poll.texts, ['Which colour shall the bench have?'])
    await assert.rejects(poll.press('Vote', heron!), /Choose a colour first/)
    await assert.rejects(poll.press('Send', heron!), /no button "Send", but "Vote"/)
    await poll.press('Vote', heron!, { inputs: { colour: 'Green' } })
    await poll.press('Vote', puffin!, { inputs: { colour: 'Blue' } })
    const { texts, page } = await poll.press('Vote', heron!, { inputs: { colour: 'Blue' } })
    assert.deepEqual(texts, ['You have voted for Blue.'])
    const chart = Object.values(page.ui.elements).find((one) => one.type === 'bar_chart')
    // The account that checked the server has voted, too, and with it the one of the command.
    assert.deepEqual(
      chart?.props.bars.map(({ label, value }: { label: string; value: number }) => [label, value]),
      [
        ['Red', 1],
        ['Green', 0],
        ['Blue', 2],
      ],
    )
  })

  test('a press names the cast, and a page for a viewer is asked for with their signature', async () => {
    const [, raven] = network.accounts
    snap.pages.set('/mine', (viewer) =>
      pageOf({
        root: stack(['who', 'send']),
        who: text(viewer ? `Hello ${viewer.fid}` : 'Hello'),
        send: submit('Send', `${snap.origin}/sent`),
      }),
    )
    snap.answers.set('/sent', ({ payload }) => pageOf({ root: text(payload.surface.type) }))
    const own = await network.snap(`${snap.origin}/mine`).open(raven)
    assert.deepEqual(own.texts, ['Hello 2'])
    const cast = { hash: `0x${'ab'.repeat(20)}`, fid: 1 }
    assert.deepEqual((await own.press('Send', raven!, { cast })).texts, ['cast'])
    const { hash, author } = snap.presses.at(-1)!.payload.surface.cast
    assert.deepEqual([hash, author.fid], [cast.hash, 1])
  })

  test('each fault is told with its rule and its place', async () => {
    const pages: Readonly<Record<string, [Page, string[]]>> = {
      '/unknown-version': [{ version: '9.0' }, ['error version version']],
      '/more': [pageOf({ root: text('x') }, { more: 1 }), ['error page more']],
      '/no-root': [pageOf({ other: text('x') }), ['error structure ui.root']],
      '/wide': [
        pageOf({ root: stack(Array.from({ length: 8 }, () => 'x')), x: text('x') }),
        ['error limits ui.elements.root'],
      ],
      '/long': [
        pageOf({ root: submit('x'.repeat(31), `${snap.origin}/x`) }),
        ['warning props ui.elements.root.props.label'],
      ],
      '/verb': [
        pageOf({
          root: { type: 'button', props: { label: 'x' }, on: { press: { action: 'dance' } } },
        }),
        ['warning actions ui.elements.root.on.press'],
      ],
      '/script': [
        pageOf({ root: submit('x', 'javascript:alert(1)') }),
        ['error urls ui.elements.root.on.press.params.target', 'error structure ui.root'],
      ],
    }
    for (const [path, [page, faults]] of Object.entries(pages)) {
      snap.pages.set(path, () => page)
      assert.deepEqual(await faultsAt(path), faults, path)
    }
  })

  test('a server that is found by some clients only, is slow to be found, or answers something else is told so', async () => {
    const html = { 'content-type': 'text/html' }
    const page = JSON.stringify(pageOf({ root: text('x') }))
    snap.others.set('/only-asked', ({ headers }, response) => {
      const isAsked = headers.accept?.includes(SNAP_TYPE)
      response.writeHead(200, isAsked ? { 'content-type': SNAP_TYPE } : html)
      response.end(isAsked ? page : '<p>hello')
    })
    assert.deepEqual(await faultsAt('/only-asked'), ['error discovery', 'warning vary'])
    snap.others.set('/json', (_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(page),
    )
    assert.deepEqual(await faultsAt('/json'), ['error content-type'])
    snap.others.set('/page', (_, response) => response.writeHead(200, html).end('<p>hello'))
    assert.deepEqual(await faultsAt('/page'), ['error content-type'])
    snap.others.set('/broken', (_, response) =>
      response.writeHead(200, { 'content-type': SNAP_TYPE }).end('{'),
    )
    assert.deepEqual(await faultsAt('/broken'), ['error json'])
    snap.others.set('/circle', (_, response) =>
      response.writeHead(302, { location: '/circle' }).end(),
    )
    assert.deepEqual(await faultsAt('/circle'), ['error status'])
    assert.deepEqual(await faultsAt('/nothing'), ['error status'])
    const away = await startSnapServer()
    away.close()
    const { faults } = await network.snap(away.origin).report()
    assert.deepEqual(
      faults.map(({ rule }) => rule),
      ['reachable'],
    )
    snap.others.set('/linked', (_, response) => {
      const link = `</linked-snap>; rel="alternate"; type="${SNAP_TYPE}"`
      response.writeHead(200, { ...html, link }).end('<p>hello')
    })
    snap.pages.set('/linked-snap', () => pageOf({ root: text('found') }))
    assert.deepEqual((await network.snap(`${snap.origin}/linked`).open()).texts, ['found'])
  })

  test('a server that believes every press is told which it should refuse, and the command ends with 1', async () => {
    snap.pages.set('/credulous', () => pageOf({ root: submit('Go', `${snap.origin}/believe`) }))
    snap.others.set('/believe', async (request, response) => {
      await request.toArray()
      const page = JSON.stringify(pageOf({ root: text('Thank you') }))
      response.writeHead(200, { 'content-type': SNAP_TYPE }).end(page)
    })
    const url = `${snap.origin}/credulous`
    const { code, stdout } = await check(url, '--press-as', '2')
    assert.equal(code, 1)
    for (const what of ['another origin', 'an hour ago', 'another fid', 'other inputs']) {
      assert.match(stdout, new RegExp(`error, press: a press .*${what}.* is accepted`))
    }
    const json = JSON.parse((await check(url, '--press-as', '2', '--json')).stdout)
    assert.equal(json.faults.length, 4)
    assert.equal((await check('nothing', '--press-as', '2')).code, 1)
    assert.match((await check(url, '--press-as', '99')).stderr, /pressAs must be an account/)
    assert.equal((await check(url)).stdout, `${url} has no faults\n`)
  })

  test('a page of version 1.0 is pressed in the form of its version once the server has refused the newer one', async () => {
    const [, raven] = network.accounts
    const target = `${snap.origin}/old-vote`
    const elements = {
      root: stack(['no', 'yes']),
      no: submit('No', target),
      yes: submit('Yes', target),
    }
    snap.pages.set('/old', () => pageOf(elements, { version: '1.0' }))
    const limit = 300
    snap.answers.set('/old-vote', ({ payload }) => {
      const { button_index: index, timestamp } = payload
      if (index === undefined) return { error: 'There is no button_index.' }
      const isOld = Math.abs(timestamp - Date.now() / 1_000) > limit
      return isOld ? { error: 'That is too old.' } : pageOf({ root: text(`Button ${index}`) })
    })
    const old = await network.snap(`${snap.origin}/old`).open()
    snap.presses.splice(0)
    assert.deepEqual((await old.press('Yes', raven!)).texts, ['Button 1'])
    const [first, second] = snap.presses.map(({ payload }) => payload)
    assert.equal(first.audience, snap.origin)
    const { timestamp, ...others } = second
    assert.deepEqual(others, { fid: 2, inputs: {}, button_index: 1 })
    // The server of this test does not ask a hub for the key.
    const { faults, isReady } = await network.snap(`${snap.origin}/old`).report(raven)
    assert.deepEqual(
      faults.map(({ message }) => message),
      ['a press for another fid than that of the key, in the form of version 1.0 is accepted'],
    )
    assert.equal(isReady, false)
    snap.presses.splice(0)
    const newer = pageOf({ ...elements, yes: submit('Yes', target) })
    snap.pages.set('/new', () => newer)
    const page = await network.snap(`${snap.origin}/new`).open()
    await assert.rejects(page.press('Yes', raven!), /There is no button_index/)
    assert.equal(snap.presses.length, 1, 'a page of version 2.0 is pressed in its form alone')
  })

  test('a poll of this server has no faults, and a channel that is not there makes none', async () => {
    const env = {
      ROOKERY_OPS_URL: network.urls.operations,
      ROOKERY_HUB_URL: network.urls.hub,
      ROOKERY_PLATFORM_URL: network.urls.platform,
      ROOKERY_REGISTRY_URL: network.urls.registry,
    }
    const poll = (...more: string[]) =>
      commands.run(
        env,
        ...['poll', 'Which day?', '--answer', 'Sunday', '--answer', 'Monday', '--fid', '2'],
        ...['--json', ...more],
      )
    const made = JSON.parse((await poll()).stdout)
    assert.equal(
      (await check(made.poll.url, '--press-as', '3')).stdout,
      `${made.poll.url} has no faults\n`,
    )
    const own = await network.snap(made.poll.url).report(network.accounts[3])
    assert.deepEqual(own.faults, [])
    for (let i = 0; i < 12; i++) {
      assert.match((await poll('--channel', 'nosuch')).stderr, /has no channel "nosuch"/)
    }
    // An account makes ten in a day: had those before made one each, this one would be refused.
    assert.equal((await poll('--ends', '2d')).code, 0)
  })

  test('docs/snaps.md has every rule in the words of the program', () => {
    const document = readFileSync(join(ROOT, 'docs/snaps.md'), 'utf8')
    for (const [rule, text] of Object.entries(RULES)) {
      assert.ok(document.includes(`| \`${rule}\` | ${text} |`), rule)
    }
  })
})
