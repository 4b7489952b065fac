// "Download my data": what the zip file has, how it is written, and who gets it. On both engines.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import { Archives } from '../src/features/archives/archives.ts'
import { SAY_TO_ACCOUNTS } from '../src/features/languages/port.ts'
import { accountLanguageRows } from '../src/features/languages/tables/account-languages.ts'
import { castAdd, linkAdd, reactionAdd, userDataAdd } from '../src/kernel/protocol/build.ts'
import { toHex } from '../src/kernel/protocol/codec/bytes.ts'
import { addressOfPrivateKey } from '../src/kernel/protocol/crypto/secp256k1.ts'
import { ReactionType, UserDataType } from '../src/kernel/protocol/wire/message_pb.js'
import { askForArchive, filesOfArchive, filesOfZip } from './archive-support.ts'
import { accessibilityFaults, startBrowser, tellOfFailures } from './browser.ts'
import { accepted } from './hub-support.ts'
import { sayingIn } from './mail-support.ts'
import { photograph, uploadTo } from './media-support.ts'
import { EXPORTED, isGiven, type Marks, ownersOf, rowOf } from './own-rows-support.ts'
import { insertRow, selectIn } from './stored-rows.ts'
import {
  accountEvents,
  createWorld,
  enginesOf,
  type TestAccount,
  testAccount,
  type World,
} from './world.ts'

/** Nobody has registered it: its rows are those of the test. */
const FILLED_FID = 70_001
const OTHER = 2
/** What would run, load or break out, if it were not escaped. */
const SCRIPT = `</title></style><script>document.title='ran'</script>&amp;`
const HOSTILE = `"><img src=x onerror="alert(1)">`

for (const engine of enginesOf(import.meta.url)) {
  describe(`the archive of an account (${engine})`, { concurrency: 1 }, () => {
    let world: World
    let owner: TestAccount & { secret: Uint8Array }

    before(async () => {
      world = await createWorld({ engine })
      const secret = randomBytes(32)
      owner = { ...testAccount(9), custody: addressOfPrivateKey(secret), secret }
      const seconds = Math.floor(world.clock.now() / 1000)
      await world.app.ledger!.importEvents(accountEvents(owner, seconds, 10))
    })
    after(() => world.close())

    const send = async (account: TestAccount, init: Parameters<World['sign']>[1]) => {
      const message = world.sign(account, init)
      accepted(await world.submit(message))
      world.clock.advance(1_000)
      return message
    }
    const say = (type: UserDataType, text: string, account: TestAccount = owner) =>
      send(account, userDataAdd(world.origin(account), type, text))

    it('an archive has posts with what they answer, follows, likes, the profile, files and signed messages', async () => {
      const other = await world.account(OTHER)
      await say(UserDataType.USER_DATA_TYPE_DISPLAY, 'Nest Builder', other)
      await say(UserDataType.USER_DATA_TYPE_DISPLAY, HOSTILE)
      await say(UserDataType.USER_DATA_TYPE_BIO, `Bio ${HOSTILE}${SCRIPT}`)
      const asked = await send(other, castAdd(world.origin(other), 'What do you build?'))
      const picture = photograph(3, 'Nest')
      const { result } = accepted(await uploadTo(world, owner, picture, 'A nest'))
      const answer = {
        text: `Twigs for , see ${HOSTILE}${SCRIPT}`,
        mentions: [BigInt(OTHER)],
        mentionsPositions: [Buffer.byteLength('Twigs for ')],
        parent: {
          case: 'parentCastId' as const,
          value: { fid: BigInt(OTHER), hash: asked.hash },
        },
        embeds: [
          { embed: { case: 'url' as const, value: result.url } },
          { embed: { case: 'url' as const, value: 'https://example.org/javascript:alert(1)' } },
        ],
      }
      const post = await send(owner, castAdd(world.origin(owner), answer))
      await send(owner, castAdd(world.origin(owner), '=HYPERLINK("https://example.org")'))
      await send(owner, linkAdd(world.origin(owner), 'follow', OTHER))
      const liked = { fid: OTHER, hash: asked.hash }
      await send(owner, reactionAdd(world.origin(owner), ReactionType.LIKE, liked))

      const files = await filesOfArchive(world, owner)
      const names = [...files.keys()]
      const data = JSON.parse(String(files.get('data.json')))
      assert.equal(data.account.fid, owner.fid)
      assert.equal(data.account.custodyAddress, toHex(owner.custody))
      assert.equal(data.account.displayName, HOSTILE)
      assert.equal(data.posts.length, 2)
      const [newest, first] = data.posts
      assert.match(newest.text, /^=HYPERLINK/)
      assert.match(first.text, /^Twigs for @!2, see /)
      assert.deepEqual(first.replyTo.text, 'What do you build?')
      assert.equal(first.replyTo.author.displayName, 'Nest Builder')
      assert.match(first.at, /^2026-01-01T00:00:\d\d\.000Z$/)
      assert.equal(data.follows[0].fid, OTHER)
      assert.equal(data.follows[0].custodyAddress, toHex(other.custody))
      assert.equal(data.likes[0].post.text, 'What do you build?')
      assert.equal(data.files[0].description, 'A nest')
      assert.equal(first.links[0].file, data.files[0].file)
      const stored = await fetch(result.url)
      assert.deepEqual(files.get(data.files[0].file), Buffer.from(await stored.arrayBuffer()))

      // Those that were signed come back as they were sent.
      const signed = String(files.get('signed-messages.txt')).trim().split('\n')
      assert.equal(signed.length, 6)
      const bytes = signed.map((line) => Buffer.from(line, 'base64').toString('latin1'))
      assert.ok(bytes.some((one) => one.includes(Buffer.from(post.hash).toString('latin1'))))

      // A spreadsheet computes nothing, and cells with quotes stay one cell.
      const csv = String(files.get('posts.csv'))
      assert.match(csv, /^\ufefftime,text,/)
      assert.match(csv, /,"'=HYPERLINK\(""https/)
      assert.equal(csv.trim().split('\r\n').length, 3)
      for (const name of [
        'index.html',
        'posts/1.html',
        'follows.html',
        'likes.html',
        'more.html',
        'likes.csv',
        'follows.csv',
      ]) {
        assert.ok(names.includes(name), name)
      }
    })

    if (engine === 'sqlite') {
      let browser: Browser | undefined
      tellOfFailures(() => browser)
      it('an archive opens in a browser from a disk: nothing in it runs or is loaded from elsewhere, and all can read it', async (t) => {
        const folder = mkdtempSync(join(tmpdir(), 'rookery-archive-'))
        t.after(() => rmSync(folder, { recursive: true }))
        for (const [name, bytes] of await filesOfArchive(world, owner)) {
          mkdirSync(dirname(join(folder, name)), { recursive: true })
          writeFileSync(join(folder, name), bytes)
        }
        browser = await startBrowser()
        t.after(() => browser?.close())
        const context = await browser.newContext({ viewport: { width: 360, height: 740 } })
        const page = await context.newPage()
        const asked: string[] = []
        const dialogs: string[] = []
        page.on('request', (request) => asked.push(request.url()))
        page.on('dialog', (dialog) => {
          dialogs.push(dialog.message())
          void dialog.dismiss()
        })
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.goto(String(pathToFileURL(join(folder, 'index.html'))))
          await page.getByText('What do you build?').first().waitFor()
          assert.notEqual(await page.title(), 'ran')
          assert.deepEqual(await accessibilityFaults(page), [])
          await page.getByRole('link', { name: /^Your \d+ posts$/ }).click()
          await page.getByRole('heading', { name: 'Posts, page 1' }).waitFor()
          const picture = page.getByRole('main').locator('img').first()
          // biome-ignore lint/suspicious/noExplicitAny: what pages have where it is evaluated
          const isDrawn = await picture.evaluate((one: any) =>
            one.decode().then(() => one.naturalWidth > 0),
          )
          assert.equal(isDrawn, true)
          assert.equal(await page.locator('script, [onerror]').count(), 0)
          assert.deepEqual(await accessibilityFaults(page), [])
          const overflow =
            'document.documentElement.scrollWidth - document.documentElement.clientWidth'
          assert.equal(await page.evaluate(overflow), 0)
          await page.getByRole('link', { name: 'Everything in here' }).click()
          await page.getByRole('heading', { name: 'Moderation about you' }).waitFor()
        }
        assert.deepEqual(dialogs, [])
        assert.deepEqual(
          asked.filter((url) => !url.startsWith(String(pathToFileURL(folder)))),
          [],
        )
      })
    }

    it('an archive has every column of every row that tables declare as the account’s and no secret, and is sent once at a time', async () => {
      const select = selectIn(world, engine)
      const given: Marks = new Map()
      // Jobs would take away rows that belong to nothing.
      await world.app.jobs.stop()
      for (const table of EXPORTED) {
        for (const one of ownersOf(table)) {
          await insertRow(select, table.name, rowOf(table, { owner: one, fid: FILLED_FID }, given))
        }
      }
      const { storage, clock } = world.app
      const archives = new Archives({
        ...{ storage, clock },
        accounts: { custodyOf: async () => undefined },
        files: undefined,
        faces: { read: async () => ({ name: 'Harbour' }) },
        secretOf: async () => 'secret',
        sayTo: world.app.of(SAY_TO_ACCOUNTS),
      })
      const { ticket } = await archives.prepare(FILLED_FID)
      const archive = await archives.open(ticket)
      const isSending = { code: 'rate_limited', message: /is being sent already/ }
      await assert.rejects(archives.open(ticket), isSending)
      const parts: Uint8Array<ArrayBuffer>[] = []
      for await (const part of archive.parts()) parts.push(new Uint8Array(part))
      archive.close()
      ;(await archives.open(ticket)).close()
      const files = await filesOfZip(new Blob(parts))
      for (const name of ['data.json', 'more.html']) {
        const text = String(files.get(name))
        for (const [where, mark] of given) {
          assert.equal(text.includes(mark), isGiven(where), `${where} in ${name}`)
        }
      }
    })

    it('an archive is given to a suspended account, and to nobody without the signature of its owner', async () => {
      accepted(
        await world.operate('/moderation/accounts/9/suspend', {
          method: 'POST',
          body: { reason: 'Too many twigs' },
        }),
      )
      const files = await filesOfArchive(world, owner)
      assert.equal(JSON.parse(String(files.get('data.json'))).posts.length, 2)
      assert.match(String(files.get('index.html')), /Too many twigs/)
      const stranger = await askForArchive(world, { fid: 9, secret: randomBytes(32) })
      assert.equal(stranger.body.code, 'InvalidSignature')
      const other = await askForArchive(world, owner, 'erase')
      assert.equal(other.body.code, 'InvalidSignature')
      const { body } = await askForArchive(world, owner)
      const get = (path: string) => fetch(`${world.app.urls.accounts}${path}`)
      for (const path of [
        body.path.replace('/9-', '/2-'),
        `${body.path.slice(0, -1)}x`,
        '/v1/archive/9-0',
      ]) {
        assert.equal((await get(path)).status, 404, path)
      }
      world.clock.advance(10 * 60_000)
      assert.equal((await get(body.path)).status, 404)
    })

    it('the pages of an archive are in the language of the account, and its tables and data have the same names in every language', async () => {
      const english = await filesOfArchive(world, owner)
      for (const code of ['de', 'ar']) {
        const said = sayingIn(code)
        await world.app.storage.write(`fid/${owner.fid}`, (tx) =>
          tx
            .of(accountLanguageRows)
            .put({ fid: owner.fid, language: code, is_chosen: 1, changed_at: 0 }),
        )
        world.clock.advance(3_600_000)
        const files = await filesOfArchive(world, owner)
        assert.deepEqual([...files.keys()], [...english.keys()])
        const index = String(files.get('index.html'))
        const { dir } = said.language
        for (const name of [
          'index.html',
          'posts/1.html',
          'follows.html',
          'likes.html',
          'more.html',
        ])
          assert.ok(String(files.get(name)).includes(`<html lang="${code}" dir="${dir}">`), name)
        for (const text of [
          said('What is in here'),
          said('Your recovery words, passkeys and password are not in it.'),
          said('Moderation about you'),
          said('{count, plural, one {Your # {post}} other {Your # {posts}}}', { count: 2 }),
        ])
          assert.ok(index.includes(text), text)
        assert.ok(String(files.get('likes.html')).includes(said('You liked this:')))
        assert.ok(String(files.get('posts/1.html')).includes(said('In reply to:')))
        // But for names and data.
        const own = index
          .slice(index.indexOf('<dl>'), index.indexOf('<article'))
          .replace(/<div class="row">.*?<\/dl><\/div>|<dd.*?<\/dd>/gs, '')
          .replace(/\u2068.*?\u2069|<[^>]*>/g, '')
        if (code === 'ar') assert.doesNotMatch(own, /[a-z]{2}/i)
        const head = (name: string) => String(files.get(name)).split('\r\n')[0]
        assert.match(head('posts.csv')!, /^\ufefftime,text,/)
      }
    })

    it('an archive is given six times an hour', async () => {
      world.clock.advance(3_600_000)
      const statuses: number[] = []
      for (let i = 0; i < 7; i++) statuses.push((await askForArchive(world, owner)).status)
      assert.deepEqual(statuses, [200, 200, 200, 200, 200, 200, 429])
    })
  })
}
