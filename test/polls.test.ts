// Polls: made by members and apps, voted in as snaps by any client and by apps, counted once, ended, hidden and erased.

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type * as core from '@farcaster/core'
import { accountLanguageRows } from '../src/features/languages/tables/account-languages.ts'
import { BATCH } from '../src/features/polls/cleaning.ts'
import { pollRows } from '../src/features/polls/tables/polls.ts'
import { snapLink } from '../src/features/snaps/asking.ts'
import { readPage } from '../src/features/snaps/page.ts'
import { DEVELOPMENT_KEY } from '../src/kernel/app-api/given-keys.ts'
import { verifyStore } from '../src/kernel/hub/jobs/integrity-check.ts'
import { signJfs } from '../src/kernel/platform/sign.ts'
import { castAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { GASLESS_SCOPES } from '../src/kernel/protocol/kinds/gasless-key.ts'
import { DAY_MS } from '../src/kernel/protocol/time.ts'
import { sdk, writersOf } from './app-writes-support.ts'
import { KEYS_START_MS, keyAdd, keyOf, nextMinute, owner } from './gasless-keys-support.ts'
import { accepted } from './hub-support.ts'
import { indexed } from './indexed.ts'
import { sayingIn } from './mail-support.ts'
import { SNAP_TYPE, startSnapServer } from './snap-server.ts'
import { until } from './until.ts'
import { createWorld, enginesOf, type TestAccount, type World } from './world.ts'

const QUESTION = {
  question: 'Which day?',
  answers: ['Saturday', 'Sunday', 'Never'],
  seconds: 3_600,
}

// biome-ignore lint/suspicious/noExplicitAny: answers are read by path
type Json = any

for (const engine of enginesOf(import.meta.url)) {
  describe(`polls, on ${engine}`, { concurrency: 1 }, () => {
    let world: World
    let people: TestAccount[]
    /** An account makes ten in a day. */
    let askers: TestAccount[]
    before(async () => {
      world = await createWorld({ engine, env: { ROOKERY_VIEWS: 'on' } })
      people = await world.accounts(Array.from({ length: 12 }, (_, i) => i + 1))
      askers = await world.accounts([51, 52, 53])
    })
    after(() => world?.close())
    let asked = 0
    const nextAsker = () => askers[asked++ % askers.length]!

    const make = async (body: object = QUESTION, who = nextAsker()) =>
      world.platform('/fc/polls', { method: 'POST', body, token: world.token(who) })
    const made = async (body: object = QUESTION, who = nextAsker()): Promise<Json> =>
      accepted(await make(body, who)).result.poll
    const read = async (id: string) => world.platform(`/fc/poll?id=${id}`)
    const votesOf = async (id: string): Promise<number[]> =>
      accepted(await read(id)).result.poll.answers.map(({ votes }: Json) => votes)

    const seconds = () => Math.floor(world.clock.now() / 1_000)
    const signed = (who: TestAccount, poll: Json, answer: unknown, more: object = {}) =>
      signJfs(who, {
        ...{ fid: who.fid, user: { fid: who.fid }, timestamp: seconds() },
        inputs: answer === undefined ? {} : { [`answer-${poll.id}`]: answer },
        audience: new URL(poll.url).origin,
        surface: { type: 'standalone' },
        ...more,
      })
    const post = async (url: string, body: object) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: SNAP_TYPE },
        body: JSON.stringify(body),
      })
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        body: (await response.json()) as Json,
      }
    }
    const vote = (who: TestAccount, poll: Json, answer: unknown, more: object = {}) =>
      post(poll.url, signed(who, poll, answer, more))
    const page = async (url: string, headers: Record<string, string> = { accept: SNAP_TYPE }) => {
      const response = await fetch(url, { headers, redirect: 'manual' })
      return { response, text: await response.text() }
    }
    const textsIn = ({ ui }: Json): string =>
      Object.values(ui.elements)
        .map(({ props }: Json) => props.content ?? '')
        .join(' | ')

    test('a poll is a snap at its address, without a fault, which any client finds by a plain GET', async () => {
      const poll = await made()
      assert.equal(poll.url, `${world.app.urls.web}/polls/${poll.id}`)
      for (const accept of [SNAP_TYPE, '*/*', `${SNAP_TYPE}, text/html;q=0.9`]) {
        const { response, text } = await page(poll.url, { accept })
        assert.equal(response.headers.get('content-type'), SNAP_TYPE)
        assert.match(response.headers.get('vary')!, /Accept, X-Snap-Payload/)
        const { page: drawn, faults } = readPage(JSON.parse(text), { allowLoopback: true })
        assert.deepEqual(faults, [])
        assert.match(textsIn(drawn), /Which day\? .*0 votes · ends 1 Jan 2026, 01:00 UTC/)
        const { choice } = drawn!.ui.elements as Json
        assert.deepEqual(choice.props.options, QUESTION.answers)
      }
      for (const end of ['', '/']) {
        const at = new URL(poll.url + end)
        const { response } = await page(at.href, { accept: 'text/html,*/*;q=0.8' })
        assert.equal(response.status, 302)
        assert.equal(response.headers.get('location'), `/poll/${poll.id}`)
        assert.equal(snapLink(response.headers.get('link')!, at)?.href, poll.url)
        const screen = new URL(`${world.app.urls.web}/poll/${poll.id}${end}`)
        const { headers } = (await page(screen.href, { accept: 'text/html' })).response
        assert.equal(snapLink(headers.get('link')!, screen)?.href, poll.url)
      }
      const unknown = await page(`${world.app.urls.web}/polls/${'a'.repeat(16)}`)
      assert.equal(unknown.response.status, 404)
    })

    test('the longest poll that is accepted has pages without a fault, and what is longer is refused by name', async () => {
      const answers = ['a', 'b', 'c', 'd', 'e', 'f'].map((letter) => letter.repeat(30))
      const longest = { question: 'q'.repeat(320), answers, seconds: 2_592_000 }
      const poll = await made(longest, people[1]!)
      for (const view of ['vote', 'results']) {
        const { text } = await page(`${poll.url}?view=${view}`)
        assert.deepEqual(readPage(JSON.parse(text), { allowLoopback: true }).faults, [])
      }
      const refused: [object, RegExp][] = [
        [{ question: 'q'.repeat(321) }, /question/],
        [{ question: ' ' }, /question must not be empty/],
        [{ question: 'two\nlines' }, /question must be one line/],
        [{ answers: ['one'] }, /answers/],
        [{ answers: [...answers, 'g'] }, /answers/],
        [{ answers: ['a', 'b'.repeat(31)] }, /answers\/1|answers\.1/],
        [{ answers: ['same', ' same '] }, /answers\.1 is there twice/],
        [{ answers: ['a', 'b\u0000'] }, /answers\.1 must be one line/],
        [{ seconds: 299 }, /seconds/],
        [{ seconds: 2_592_001 }, /seconds/],
      ]
      for (const [part, message] of refused) {
        const { status, body } = await make({ ...longest, ...part }, people[1]!)
        assert.equal(status, 400)
        assert.match(JSON.stringify(body), message)
      }
      const named = { ...longest, id: 'b'.repeat(16) }
      const [first, again] = [await made(named, people[2]!), await made(named, people[2]!)]
      assert.deepEqual(again, first)
      const taken = await make({ ...named, question: 'Another?' }, people[2]!)
      assert.deepEqual([taken.status, taken.body.code], [400, 'bad_request.conflict'])
      const stranger = await world.platform('/fc/polls', { method: 'POST', body: QUESTION })
      assert.equal(stranger.status, 401)
    })

    test('a vote by a client of snaps counts once, is answered with the result, and a later one takes its place', async () => {
      const poll = await made()
      const first = await vote(people[1]!, poll, 'Sunday')
      assert.deepEqual([first.status, first.type], [200, SNAP_TYPE])
      assert.match(textsIn(first.body), /Your vote: Sunday.*1 vote · ends/)
      assert.deepEqual(first.body.ui.elements.chart.props, {
        bars: QUESTION.answers.map((label) => ({ label, value: label === 'Sunday' ? 1 : 0 })),
        max: 1,
      })
      for (let i = 0; i < 3; i++) await vote(people[1]!, poll, 'Sunday')
      assert.deepEqual(await votesOf(poll.id), [0, 1, 0])
      await vote(people[1]!, poll, 'Never')
      assert.deepEqual(await votesOf(poll.id), [0, 0, 1])
      await vote(people[2]!, poll, 'Never')
      assert.deepEqual(await votesOf(poll.id), [0, 0, 2])
    })

    test('concurrent votes, and concurrent changes of one vote, are all counted and none twice', async () => {
      const poll = await made()
      const votes = people.flatMap((who, i) =>
        QUESTION.answers.map((_, j) => vote(who, poll, QUESTION.answers[(i + j) % 3])),
      )
      for (const { status } of await Promise.all(votes)) assert.equal(status, 200)
      const counts = await votesOf(poll.id)
      assert.equal(
        counts.reduce((sum, votes) => sum + votes, 0),
        people.length,
      )
      const { examples } = await verifyStore(world.app.storage, { network: undefined })
      assert.deepEqual(examples, [])
    })

    test('what was not signed for this poll by a key of the fid is refused, in words that clients of snaps show', async () => {
      const poll = await made()
      const other = await made({ ...QUESTION, question: 'Another?' })
      const who = people[3]!
      const stranger = { ...who, seed: new Uint8Array(32).fill(9) }
      const { audience: _, ...old } = { audience: 1 }
      const refused: [object, number, RegExp][] = [
        [signed(who, poll, 'Sunday', { audience: 'https://other.example' }), 400, /audience/],
        [
          signed(who, poll, 'Sunday', { audience: undefined, button_index: 0, ...old }),
          400,
          /audience/,
        ],
        [signed(who, poll, 'Sunday', { timestamp: seconds() - 301 }), 400, /timestamp/],
        [signed(who, poll, 'Sunday', { user: { fid: 5 } }), 400, /must name fid 4/],
        [signed(stranger, poll, 'Sunday'), 400, /not an active key of fid 4/],
        [signed(who, other, 'Sunday'), 400, /Choose one of the answers/],
        [signed(who, poll, undefined), 400, /Choose one of the answers/],
        [signed(who, poll, 'Monday'), 400, /one of the answers/],
        [signed(who, poll, ['Sunday']), 400, /Choose one of the answers/],
      ]
      for (const [jfs, status, error] of refused) {
        const answer = await post(poll.url, jfs)
        assert.equal(answer.status, status, JSON.stringify(answer.body))
        assert.match(answer.body.error, error)
      }
      assert.deepEqual(await votesOf(poll.id), [0, 0, 0])
    })

    test('after the end nothing is counted, and everybody sees the final result', async () => {
      const poll = await made()
      await vote(people[1]!, poll, 'Saturday')
      world.clock.advance(3_599_000)
      assert.equal((await vote(people[2]!, poll, 'Saturday')).status, 200)
      world.clock.advance(1_000)
      const late = await vote(people[3]!, poll, 'Sunday')
      assert.equal(late.status, 200)
      assert.match(textsIn(late.body), /Final result · 2 votes · ended/)
      assert.doesNotMatch(textsIn(late.body), /Your vote/)
      // Each in the language of who asks, or of the account that has signed.
      const inGerman = sayingIn('de')
      const asked = await page(poll.url, { accept: SNAP_TYPE, 'accept-language': 'de' })
      assert.match(asked.response.headers.get('vary')!, /accept-language/)
      const { about } = JSON.parse(asked.text).ui.elements
      const [end] = /1\. Jan.*$/.exec(about.props.content) ?? []
      const result = 'Final result · {votes, plural, one {# vote} other {# votes}} · ended {end}'
      assert.equal(about.props.content, inGerman(result, { votes: 2, end: String(end) }))
      const { fid } = people[1]!
      await world.app.storage.write(`fid/${fid}`, (tx) =>
        tx.of(accountLanguageRows).put({ fid, language: 'de', is_chosen: 1, changed_at: 0 }),
      )
      const own = await vote(people[1]!, poll, 'Sunday')
      assert.ok(textsIn(own.body).includes(inGerman('Your vote: {answer}', { answer: 'Saturday' })))
      await world.app.storage.write(`fid/${fid}`, (tx) =>
        tx.of(accountLanguageRows).put({ fid, language: 'en', is_chosen: 1, changed_at: 0 }),
      )
      const changed = await vote(people[1]!, poll, 'Sunday')
      assert.match(textsIn(changed.body), /Your vote: Saturday/)
      const { text } = await page(`${poll.url}?view=vote`)
      assert.match(text, /Final result · 2 votes/)
      assert.equal(accepted(await read(poll.id)).result.poll.isOpen, false)
    })

    test('who has voted is shown the result, to whom a header tells who looks; a wrong header shows the page of everybody', async () => {
      const poll = await made()
      const { header, payload, signature } = signed(people[4]!, poll, undefined)
      const named = { accept: SNAP_TYPE, 'x-snap-payload': `${header}.${payload}.${signature}` }
      assert.match((await page(poll.url, named)).text, /toggle_group/)
      await vote(people[4]!, poll, 'Never')
      const own = (await page(poll.url, named)).text
      assert.match(own, /Your vote: Never/)
      const change = JSON.parse((await page(`${poll.url}?view=vote`, named)).text)
      assert.equal(change.ui.elements.choice.props.defaultValue, 'Never')
      for (const wrong of ['x', `${header}.${payload}.${'A'.repeat(86)}`]) {
        const { text } = await page(poll.url, { accept: SNAP_TYPE, 'x-snap-payload': wrong })
        assert.match(text, /toggle_group/)
      }
      assert.doesNotMatch((await page(`${poll.url}?view=results`)).text, /Your vote/)
    })

    test('the front door reads and presses its own polls by their address, and links show the question', async () => {
      const poll = await made()
      const { web } = world.app.urls
      const preview = await fetch(`${web}/preview?url=${encodeURIComponent(poll.url)}`)
      const told = (await preview.json()) as Json
      assert.deepEqual([told.title, told.snap.page.version], ['Which day?', '2.0'])
      assert.equal(preview.headers.get('cache-control'), 'no-cache')
      assert.equal('isOwn' in told, false)
      const pressed = await post(`${web}/snap/press`, {
        target: poll.url,
        ...signed(people[5]!, poll, 'Sunday'),
      })
      assert.equal(pressed.status, 200)
      assert.match(textsIn(pressed.body.page), /Your vote: Sunday/)
      assert.deepEqual(await votesOf(poll.id), [0, 1, 0])
    })

    test('an account makes ten polls in a day, and deletes those that are its own', async () => {
      const who = people[6]!
      const first = await made(QUESTION, who)
      await vote(people[1]!, first, 'Sunday')
      for (let i = 1; i < 10; i++) await made(QUESTION, who)
      const eleventh = await make(QUESTION, who)
      assert.equal(eleventh.status, 429)
      assert.match(eleventh.body.errors[0].message, /10 polls in a day/)
      const remove = (by: TestAccount) =>
        world.platform('/fc/polls', {
          method: 'DELETE',
          body: { id: first.id },
          token: world.token(by),
        })
      assert.equal((await remove(people[1]!)).status, 403)
      accepted(await remove(who))
      assert.equal((await read(first.id)).status, 404)
      assert.equal((await vote(people[2]!, first, 'Sunday')).status, 404)
      assert.equal((await page(first.url)).response.status, 404)
      await world.app.jobs.run('votes of polls')
      assert.equal(await world.app.storage.of(pollRows).voteOf(first.id, people[1]!.fid), undefined)
    })

    test('a poll that is deleted is gone at once, and its votes go in steps of five hundred', async (t) => {
      const { storage, jobs } = world.app
      const [poll, other] = [await made(), await made()]
      const votes = 2 * BATCH + 1
      const fids = Array.from({ length: votes }, (_, i) => 10_000 + i)
      await storage.write(`poll/${poll.id}`, async (tx) => {
        for (const fid of fids) {
          await tx.of(pollRows).vote({ poll_id: poll.id, fid, answer: 1, voted_at: seconds() })
        }
      })
      assert.deepEqual(await votesOf(poll.id), [votes, 0, 0])
      await vote(people[1]!, other, 'Sunday')
      const creator = people.concat(askers).find(({ fid }) => fid === poll.creatorFid)!
      const token = world.token(creator)
      accepted(
        await world.platform('/fc/polls', { method: 'DELETE', body: { id: poll.id }, token }),
      )
      assert.equal((await read(poll.id)).status, 404)
      assert.equal((await vote(people[2]!, poll, 'Sunday')).status, 404)
      const again = { ...QUESTION, id: poll.id }
      assert.equal((await make(again, creator)).body.code, 'bad_request.conflict')
      const rows = storage.of(pollRows)
      assert.ok(await rows.voteOf(poll.id, fids[0]!), 'whoever deletes does not wait for them')
      const steps = t.mock.method(storage, 'write')
      await jobs.run('votes of polls')
      const ofPoll = steps.mock.calls.filter((one) => one.arguments[0] === `poll/${poll.id}`)
      assert.equal(ofPoll.length, 3)
      for (const fid of [fids[0]!, fids.at(-1)!]) {
        assert.equal(await rows.voteOf(poll.id, fid), undefined)
      }
      assert.equal(await rows.isDeleting(poll.id), false)
      assert.deepEqual(await votesOf(other.id), [0, 1, 0])
      const { examples } = await verifyStore(storage, { network: undefined })
      assert.deepEqual(examples, [])
    })

    test('the operator removes one poll by its address or its id: that is logged, and its creator reads why', async () => {
      const [first, second] = [await made(), await made(QUESTION, people[10]!)]
      await vote(people[1]!, second, 'Sunday')
      const remove = (poll: string) =>
        world.operate('/moderation/polls/remove', {
          method: 'POST',
          body: { poll, reason: 'an advertisement', actor: 'ada' },
        })
      const elsewhere = `https://other.example/polls/${first.id}`
      for (const wrong of [elsewhere, `${first.url}/x`, 'day', first.id.toUpperCase()]) {
        const { status, body } = await remove(wrong)
        assert.deepEqual([status, body.field], [404, 'poll'])
        assert.match(body.message, /write its id, or its address such as http/)
      }
      const ofResult = `${first.url}/?view=results`
      assert.deepEqual(accepted(await remove(ofResult)), { fid: first.creatorFid })
      assert.deepEqual(accepted(await remove(second.id)), { fid: people[10]!.fid })
      for (const { url, id } of [first, second]) {
        assert.equal((await page(url)).response.status, 404)
        const again = await remove(id)
        assert.equal(again.status, 404)
        assert.equal(again.body.field, 'poll')
      }
      const log = accepted(await world.operate(`/moderation/log?fid=${people[10]!.fid}`))
      const { action, actor, name, reason } = log.result.entries[0]
      assert.deepEqual(
        [action, actor, name, reason],
        ['remove-poll', 'ada', second.id, 'an advertisement'],
      )
      const token = world.token(people[10]!)
      const { result } = accepted(await world.platform('/v1/own-moderation', { token }))
      assert.deepEqual(
        [result.decisions[0].action, result.decisions[0].reason],
        ['remove-poll', 'an advertisement'],
      )
      await world.app.jobs.run('votes of polls')
      const left = await world.app.storage.of(pollRows).voteOf(second.id, people[1]!.fid)
      assert.equal(left, undefined)
    })

    test('an app makes, reads and votes in a poll for its user, and casts have the page in their embeds', async () => {
      const writers = writersOf(world)
      const app = await writers.registry.person(900)
      const user = await writers.writer(sdk(world), app, 901)
      const call = async (method: string, path: string, body?: object, headers: object = {}) => {
        const response = await fetch(`${world.app.urls.app}/v2/farcaster${path}`, {
          method,
          headers: { ...headers, 'x-api-key': DEVELOPMENT_KEY, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
        return { status: response.status, body: (await response.json()) as Json }
      }
      const { question, answers } = QUESTION
      const signer_uuid = user.signerUuid
      const asked = { signer_uuid, question, answers, duration_seconds: 3_600 }
      const { poll } = (await call('POST', '/poll', asked)).body
      assert.deepEqual([poll.fid, poll.votes, poll.is_open], [901, 0, true])
      assert.equal(Date.parse(poll.ends_at) - Date.parse(poll.created_at), 3_600_000)
      const ballot = { signer_uuid, id: poll.id, answer: 'Sunday' }
      for (let i = 0; i < 2; i++)
        assert.equal((await call('POST', '/poll/vote', ballot)).status, 200)
      const wrong = await call('POST', '/poll/vote', { ...ballot, answer: 'Monday' })
      assert.equal(wrong.status, 400)
      const again = (await call('GET', `/poll?id=${poll.id}`)).body.poll
      assert.deepEqual(
        again.answers.map(({ votes }: Json) => votes),
        [0, 1, 0],
      )
      const embeds = [{ embed: { case: 'url' as const, value: poll.url } }]
      const message = world.sign(
        people[0]!,
        castAdd(world.origin(people[0]!), { text: 'x', embeds }),
      )
      accepted(await world.submit(message))
      await indexed(world.app)
      const { cast } = (await call('GET', `/cast?identifier=${toHex(message.hash)}&type=hash`)).body
      assert.equal(cast.embeds[0].snap.page.ui.elements.question.props.content, 'Which day?')
      // In the language of who asks. That of an account is told to nobody: any may be named as the viewer.
      const { fid } = people[1]!
      await world.app.storage.write(`fid/${fid}`, (tx) =>
        tx.of(accountLanguageRows).put({ fid, language: 'de', is_chosen: 1, changed_at: 0 }),
      )
      const path = `/cast?identifier=${toHex(message.hash)}&type=hash&viewer_fid=${fid}`
      const voteIn = async (headers: object) => {
        const found = (await call('GET', path, undefined, headers)).body.cast.embeds[0].snap.page
        return found.ui.elements.vote.props.label
      }
      assert.equal(await voteIn({}), 'Vote')
      assert.equal(await voteIn({ 'accept-language': 'de' }), sayingIn('de')('Vote'))
    })

    test('a suspended account neither asks nor votes and its polls are not shown; votes that it cast stay', async () => {
      const [asker, voter] = [people[7]!, people[8]!]
      const [own, other] = [await made(QUESTION, asker), await made()]
      await vote(voter, other, 'Sunday')
      const operate = (fid: number, act: string) =>
        world.operate(`/moderation/accounts/${fid}/${act}`, {
          method: 'POST',
          body: { reason: 'asked for', actor: 'test' },
        })
      for (const { fid } of [asker, voter]) accepted(await operate(fid, 'suspend'))
      assert.equal((await make(QUESTION, asker)).status, 403)
      assert.equal((await read(own.id)).status, 404)
      assert.equal((await page(own.url)).response.status, 404)
      assert.equal((await vote(people[1]!, own, 'Sunday')).status, 404)
      const refused = await vote(voter, other, 'Never')
      assert.equal(refused.status, 403)
      assert.match(refused.body.error, /suspended/)
      assert.deepEqual(await votesOf(other.id), [0, 1, 0])
      for (const { fid } of [asker, voter]) accepted(await operate(fid, 'restore'))
      assert.deepEqual(await votesOf(own.id), [0, 0, 0])
    })

    test('an erasure takes the votes of the account out of the counts and its polls away', async () => {
      const who = people[9]!
      const [own, other] = [await made(QUESTION, who), await made()]
      for (const one of [who, people[1]!]) await vote(one, other, 'Sunday')
      await vote(people[1]!, own, 'Sunday')
      accepted(
        await world.operate(`/moderation/accounts/${who.fid}/erase`, {
          method: 'POST',
          body: { reason: 'asked for', actor: 'test' },
        }),
      )
      await until(async () => (await votesOf(other.id))[1] === 1)
      await until(async () => (await read(own.id)).status === 404)
      await world.app.jobs.run('votes of polls')
      const rows = world.app.storage.of(pollRows)
      assert.equal(await rows.voteOf(own.id, people[1]!.fid), undefined)
      const { examples } = await verifyStore(world.app.storage, { network: undefined })
      assert.deepEqual(examples, [])
    })

    test('thirty days after the end nobody knows any more who chose what, and the result stays', async () => {
      const poll = await made()
      for (const who of people.slice(0, 3)) await vote(who, poll, 'Sunday')
      const rows = world.app.storage.of(pollRows)
      world.clock.advance(30 * DAY_MS + 3_600_000)
      await world.app.jobs.run('votes of polls')
      assert.ok(await rows.voteOf(poll.id, people[1]!.fid))
      world.clock.advance(1_000)
      await world.app.jobs.run('votes of polls')
      assert.equal(await rows.voteOf(poll.id, people[1]!.fid), undefined)
      assert.deepEqual(await votesOf(poll.id), [0, 3, 0])
      const { examples } = await verifyStore(world.app.storage, { network: undefined })
      assert.deepEqual(examples, [])
    })

    test('the same call again has the same poll, and with anything else under its id is a conflict', async () => {
      const who = people[2]!
      const id = 'abcdefghijklmnop'
      const asked = { id, question: 'Tea?', answers: ['Yes', 'No'], seconds: 3_600 }
      const sent = (more: object = {}) =>
        world.platform('/fc/polls', { body: { ...asked, ...more }, token: world.token(who) })
      accepted(await sent())
      accepted(await sent())
      for (const other of [
        { question: 'Coffee?' },
        { answers: ['Yes', 'Never'] },
        { seconds: 7_200 },
      ]) {
        assert.equal((await sent(other)).status, 400, JSON.stringify(other))
      }
    })

    test('polls are found whatever the letters and the port of the public address', async () => {
      await world.restart({ ROOKERY_PUBLIC_URL: 'https://Social.example:443/' })
      const poll = await made(QUESTION, people[3]!)
      assert.match(poll.url, /^https:\/\/social\.example\/polls\//)
      const address = new URL(new URL(poll.url).pathname, world.app.urls.web)
      assert.equal((await page(address.href)).response.status, 200)
      await world.restart({ ROOKERY_PUBLIC_URL: '' })
    })

    test('a server without snaps makes and shows no polls, and says so', async () => {
      const poll = await made()
      await world.restart({ ROOKERY_MINI_APPS: 'off' })
      const refused = await make()
      assert.equal(refused.status, 400)
      assert.match(refused.body.errors[0].message, /shows no snaps/)
      const address = new URL(new URL(poll.url).pathname, world.app.urls.web)
      assert.equal((await page(address.href)).response.status, 404)
      await world.restart({ ROOKERY_MINI_APPS: '', ROOKERY_PUBLIC_URL: 'http://social.example' })
      assert.match((await make()).body.errors[0].message, /need a public address with https/)
    })

    test('a gasless key of every scope votes here, one of fewer scopes does not, and no other server of a snap gets a press by either', async (t) => {
      const own = await createWorld({ engine, startMs: KEYS_START_MS })
      t.after(() => own.close())
      const user = await owner(own, 1)
      const [full, partial] = [keyOf(1), keyOf(2)]
      const scopes = [...GASLESS_SCOPES] as core.MessageType[]
      accepted(await own.submit(await keyAdd(own, user, full, { scopes })))
      nextMinute(own)
      accepted(await own.submit(await keyAdd(own, user, partial, { nonce: 2 })))
      const body = QUESTION
      const answer = await own.platform('/fc/polls', {
        method: 'POST',
        body,
        token: own.token(user),
      })
      const { poll } = accepted(answer).result
      const timestamp = Math.floor(own.clock.now() / 1_000)
      const by = ({ seed }: TestAccount) => signed({ ...user, seed }, poll, 'Sunday', { timestamp })
      assert.equal((await post(poll.url, by(partial))).status, 400)
      assert.match(textsIn((await post(poll.url, by(full))).body), /Your vote: Sunday/)
      const snap = await startSnapServer()
      t.after(() => snap.close())
      const sentOn = (target: string, by: TestAccount, audience = new URL(target).origin) =>
        post(`${own.app.urls.web}/snap/press`, {
          target,
          ...signed({ ...user, seed: by.seed }, poll, 'Never', { timestamp, audience }),
        })
      const changed = await sentOn(poll.url, full)
      assert.match(textsIn(changed.body.page), /Your vote: Never/)
      for (const key of [full, partial]) {
        const { status, body } = await sentOn(`${snap.origin}/vote`, key)
        assert.equal(status, 400)
        assert.match(JSON.stringify(body), /not an active key of fid 1: servers of snaps ask a hub/)
      }
      assert.deepEqual(snap.asked, [])
    })
  })
}
