// The room of the operator in a browser: one server, one browser, every screen.

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Locator, Page } from 'playwright-core'
import { CALLS } from '../../src/cli/generated/calls.ts'
import { mediaRows } from '../../src/features/media/tables/media.ts'
import { SAMPLED_METRICS } from '../../src/features/operations/sampled-metrics.ts'
import { metricSampleRows } from '../../src/features/operations/tables/metric-samples.ts'
import { recoveryRows } from '../../src/features/recovery/tables/recoveries.ts'
import { fidTransferred, sealBlock } from '../../src/kernel/accounts/events.ts'
import { VERSION } from '../../src/kernel/base/version.ts'
import { userDataAdd } from '../../src/kernel/protocol/build.ts'
import { UserDataType } from '../../src/kernel/protocol/wire/message_pb.js'
import { accessibilityFaults, startBrowser, tellOfFailures, untilInPage } from '../browser.ts'
import { hex } from '../hub-support.ts'
import { indexed } from '../indexed.ts'
import { plainPng, uploadTo } from '../media-support.ts'
import { type AppServer, startAppServer } from '../mini-apps-support.ts'
import { PATIENCE_MS } from '../patience.ts'
import { LIBRE_KEY, startTranslator } from '../translator-support.ts'
import { until } from '../until.ts'
import { createWorld, type World } from '../world.ts'

const TOKEN = 'operator-of-the-tests'
const GONE = { state: 'detached' } as const
/** Far from where the server counts. */
const TIME_ZONE = 'Asia/Tokyo'
const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1_200, height: 900 }
const SCREENS = [
  ...['overview', 'people', 'moderation', 'invites', 'apps', 'badges', 'backups', 'jobs', 'errors'],
  ...['server', 'settings', 'miniapps', 'recovery', 'face', 'staff', 'files', 'joining'],
  'translator',
]
/** Numbers of what waits for the operator, which have no curve. */
const WAITING = 3
/** Markup, and a character that turns the text behind it round. */
const HOSTILE = '<img src=x onerror=alert(1)> \u202etxt.exe'
/** Where pictures of the screens are kept for people to look at, if anywhere. */
const { OPERATOR_PICTURES: PICTURES } = process.env

async function keepPicture(page: Page, name: string): Promise<void> {
  if (!PICTURES) return
  const shown = page.viewportSize()!
  for (const width of [360, 768, 1_280]) {
    await page.setViewportSize({ width, height: 900 })
    await page.screenshot({ path: join(PICTURES, `${name}-${width}.png`), fullPage: true })
  }
  await page.setViewportSize(shown)
}

const SHOWN = '<img src=x onerror=alert(1)>'

describe('the room of the operator', { concurrency: 1 }, () => {
  let world: World
  let browser: Browser
  let page: Page
  let backups: string
  const faults: string[] = []
  const asked: string[] = []

  before(async () => {
    backups = mkdtempSync(join(tmpdir(), 'rookery-operator-'))
    world = await createWorld({
      env: {
        ROOKERY_OPS_TOKEN: TOKEN,
        ROOKERY_BACKUP_DIR: backups,
        ROOKERY_VIEWS: 'on',
        ROOKERY_RECOVERY_DAYS: '7',
        ROOKERY_MEDIA_VIDEO_MB: '12,locked',
      },
    })
    browser = await startBrowser()
    page = await browser.newPage({
      ...{ viewport: DESKTOP, reducedMotion: 'reduce', timezoneId: TIME_ZONE },
    })
    page.on('console', (message) => {
      // The browser reports refusals, which are provoked here, by itself.
      if (message.type() === 'error' && !/^Failed to load/.test(message.text())) {
        faults.push(message.text())
      }
    })
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('request', (request) => asked.push(request.url()))
  })
  tellOfFailures(() => browser)
  after(async () => {
    await browser?.close()
    await world?.close()
    rmSync(backups, { recursive: true, force: true })
  })

  const operate = (path: string) => world.operate(path, { token: TOKEN })
  const go = async (screen: string) => {
    const link = page.locator(`nav a[href="#${screen}"]`)
    // On a phone there is a field to choose from in place of the menu.
    const field = page.getByRole('combobox', { name: 'Screen' })
    // A page that has just been loaded has neither yet.
    await link.or(field).filter({ visible: true }).first().waitFor()
    if (await link.isVisible()) await link.click()
    else await field.selectOption(screen)
    // The screen before it has fields of the same names.
    await link.and(page.locator('[aria-current=page]')).waitFor({ state: 'attached' })
  }
  const text = (words: string | RegExp) => page.getByText(words).first().waitFor()

  it('the door refuses a wrong token and opens for the right one, which stays out of addresses', async () => {
    await page.goto(`${world.app.urls.operations}/operator`)
    await page.getByLabel('Token').fill('a wrong one')
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Enter' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel('Token').fill(TOKEN)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Growth' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Growth' }).waitFor()
    assert.ok(asked.every((url) => !url.includes(TOKEN)))
  })

  it('a fresh server lists the first steps, ticked off as they are done', async () => {
    const describeServer = (texts: object) =>
      world.operate('/server/texts', { method: 'PUT', token: TOKEN, body: { texts } })
    const steps = page.locator('.first-steps li')
    await steps.filter({ hasText: 'Write the rules' }).waitFor()
    assert.equal(await steps.filter({ hasText: 'Write the rules (done)' }).count(), 0)
    await describeServer({ rules: '- Be kind' })
    await page.reload()
    await steps.filter({ hasText: 'Write the rules (done)' }).waitFor()
    await keepPicture(page, 'first-steps')
    await steps.getByRole('link', { name: 'Write the rules' }).click()
    await page.getByLabel('Rules').waitFor()
    await describeServer({ rules: null })
    await go('overview')
    await page.getByRole('button', { name: 'Hide this list' }).click()
    await steps.first().waitFor({ state: 'detached' })
  })

  it('the overview shows the numbers of the metrics', async () => {
    await world.accounts([1, 2, 3])
    // A count is kept for the longer, the longer counting took.
    await until(async () => {
      world.clock.advance(5_000)
      await page.reload()
      await page.locator('.tile').first().waitFor()
      const accounts = page.locator('.tile', { hasText: 'Accounts' })
      return (await accounts.locator('.figure', { hasText: /^3$/ }).count()) > 0
    })
    // On a slow machine the clock has moved on to another sample by now, and what has changed has a curve.
    const unchanged = page.locator('.tile', { hasText: 'Channels' })
    assert.equal(await unchanged.locator('svg').count(), 0, 'what never changed has no curve')
    assert.equal(await page.locator('.tile code').count(), 0, 'names are shown to who asks')
    await page.getByLabel('Names of the metrics').check()
    const tile = page.locator('.tile', { hasText: 'rookery_accounts' })
    await tile.locator('.figure', { hasText: /^3$/ }).waitFor()
    await text('Ready for requests: yes')
    await text(`This is Rookery ${VERSION}.`)
    const metrics = await fetch(`${world.app.urls.operations}/metrics`, {
      headers: { authorization: `Bearer ${TOKEN}` },
    })
    const known = await metrics.text()
    for (const name of await page.locator('.tile code').allTextContents()) {
      assert.ok(known.includes(`\n${name} `) || known.includes(`\n${name}{`), name)
    }
  })

  it('a disk that fills up is said first, with what is refused and what mends it', async () => {
    const numbers = '**/metrics'
    const [quota, share] = [2e9, 0.95]
    // Only the numbers of the disk are others: a disk that is full would stop the rest of the journey.
    await page.route(numbers, async (route) => {
      const response = await route.fetch()
      const body = (await response.text())
        .replace(/^rookery_disk_used_bytes .*/m, `rookery_disk_used_bytes ${quota * share}`)
        .replace(/^rookery_disk_quota_bytes .*/m, `rookery_disk_quota_bytes ${quota}`)
        .replace(/^rookery_disk_quota_ratio .*/m, `rookery_disk_quota_ratio ${share}`)
      await route.fulfill({ response, body })
    })
    const warning = page.getByRole('alert').filter({ hasText: '1.9 GB of 2.0 GB' })
    await warning.getByText('uploads are refused').waitFor()
    await warning.getByText('ROOKERY_DISK_QUOTA_GIB').waitFor()
    await text('Ready for requests: yes, but uploads are refused')
    assert.deepEqual(await accessibilityFaults(page), [])
    await keepPicture(page, 'full-disk')
    await page.unroute(numbers)
    await warning.waitFor({ state: 'detached' })
    await text('Ready for requests: yes')
  })

  it('without a backup no age of one is shown, and the step is not done', async () => {
    const tile = page.locator('.tile', { hasText: 'Newest backup' })
    await tile.getByText(/^None yet/).waitFor()
    await text('rookery restore DIRECTORY')
  })

  it('every number has the curve of a week, and its metric keeps to one line', async () => {
    await world.app.storage.write('all/samples', async (tx) => {
      const now = Math.floor(world.clock.now() / 1_000)
      for (let hour = 1; hour <= 160; hour++) {
        const numbers = SAMPLED_METRICS.map((name, i) => [name, (hour * (i + 3)) % 17])
        const text = JSON.stringify(Object.fromEntries(numbers))
        await tx.of(metricSampleRows).put({ at: now - hour * 3_600, numbers: text })
      }
    })
    await page.reload()
    await page.getByRole('img', { name: /^Accounts since/ }).waitFor()
    const scale = page.locator('.tile', { hasText: 'Accounts' }).locator('.curve-scale span')
    assert.deepEqual(await scale.allTextContents(), ['16', '0'])
    await page.getByText('More numbers').click()
    assert.equal(await page.locator('.tile svg').count(), SAMPLED_METRICS.length - WAITING)
    await page.getByLabel('Names of the metrics').check()
    await page.setViewportSize(PHONE)
    for (const name of await page.locator('.tile .metric').all()) {
      const { height } = (await name.boundingBox())!
      assert.ok(height < 30, `${await name.textContent()} is ${height} high`)
    }
    await page.setViewportSize(DESKTOP)
  })

  it('files whose bytes are lost are listed with whose they are', async () => {
    const { body } = await uploadTo(world, await world.account(1), plainPng(60, 60, [9, 9, 9, 255]))
    await go('files')
    await text('Looked at 1 of 1 file.')
    await text('No file is lost')
    const { storage } = world.app
    const [media] = await storage.of(mediaRows).files(undefined, 1)
    await storage.write('all/media', (tx) => tx.of(mediaRows).removeParts(media!.object))
    await page.reload()
    const row = page.getByRole('row', { name: new URL(body.result.url).pathname })
    await row.getByRole('cell', { name: 'fid 1' }).waitFor()
    await row.getByRole('cell', { name: 'nothing' }).waitFor()
    await keepPicture(page, 'lost-files')
  })

  it('accounts are searched for, and one is suspended where it is found', async () => {
    await go('people')
    const third = page.locator('.people li', { hasText: 'account 3' })
    await third.getByText(/^Joined:/).waitFor()
    // On a phone, too, an account is a few lines.
    await page.setViewportSize(PHONE)
    const { height } = (await third.boundingBox())!
    assert.ok(height < 160, `an account is ${height} high`)
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.setViewportSize(DESKTOP)
    await keepPicture(page, 'people')
    // An order leaves nobody out.
    const ordered = page.waitForResponse(/order=reports/)
    await page.getByLabel('Order').selectOption('Most reported first')
    await ordered
    await third.waitFor()
    await page.getByLabel('Order').selectOption('Newest first')
    // Two in one act.
    for (const fid of [2, 3])
      await page.getByRole('checkbox', { name: `Choose account ${fid}` }).check()
    await text('2 chosen, at most 50')
    assert.deepEqual(await accessibilityFaults(page), [])
    await keepPicture(page, 'people-chosen')
    await page.getByRole('button', { name: 'Limit them' }).click()
    await page.getByLabel('Reason').fill('A test')
    await keepPicture(page, 'people-decide')
    // Who cancels meanwhile stops it: what was begun is done, and the other stays chosen.
    const held = Promise.withResolvers<void>()
    const ofLimits = '**/moderation/accounts/*/limit'
    await page.route(ofLimits, async (route) => {
      await held.promise
      await route.continue()
    })
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Limit 2 accounts' }).click()
    await dialog.getByText('0 of 2 done …').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    held.resolve()
    await text('1 chosen, at most 50')
    await page.unroute(ofLimits)
    await page.getByRole('button', { name: 'Choose none' }).click()
    for (const fid of [2, 3])
      await page.getByRole('checkbox', { name: `Choose account ${fid}` }).check()
    await page.getByRole('button', { name: 'Limit them' }).click()
    await page.getByLabel('Reason').fill('A test')
    // One of them is limited already.
    await dialog.getByRole('button', { name: 'Limit one account' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByLabel('Show').selectOption('Limited')
    await page.locator('.people li', { hasText: 'account 1' }).waitFor({ state: 'detached' })
    for (const fid of [2, 3]) {
      await page
        .locator('.people li', { hasText: `account ${fid}` })
        .getByText('limited')
        .waitFor()
      const { limited } = (await operate(`/moderation/accounts/${fid}`)).body
      assert.equal(limited, true)
      const back = { token: TOKEN, body: { reason: 'A test' } }
      assert.equal((await world.operate(`/moderation/accounts/${fid}/unlimit`, back)).status, 200)
    }
    await page.getByLabel('Show').selectOption('All')
    await third.waitFor()
    // What somebody else has done meanwhile is not taken back.
    for (const fid of [2, 3])
      await page.getByRole('checkbox', { name: `Choose account ${fid}` }).check()
    await page.getByRole('button', { name: 'Limit them' }).click()
    await page.getByLabel('Reason').fill('A test')
    const ofOther = (act: string) =>
      world.operate(`/moderation/accounts/2/${act}`, { token: TOKEN, body: { reason: 'Mine' } })
    assert.equal((await ofOther('limit')).status, 200)
    await dialog.getByRole('button', { name: 'Limit 2 accounts' }).click()
    await dialog.waitFor({ state: 'detached' })
    await text('Limited.')
    assert.deepEqual(await accessibilityFaults(page), [])
    await keepPicture(page, 'people-undo')
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByLabel('Reason').fill('It was a test')
    await dialog.getByRole('button', { name: 'End the limit of account 3' }).click()
    await text('The limit has ended.')
    for (const fid of [2, 3]) {
      const { limited } = (await operate(`/moderation/accounts/${fid}`)).body
      assert.equal(limited, fid === 2)
    }
    assert.equal((await ofOther('unlimit')).status, 200)
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('Fid, name or custody address').fill('2')
    await page.getByRole('button', { name: 'Search' }).click()
    await third.waitFor({ state: 'detached' })
    // A suspension for some days that another moderator has set meanwhile is not replaced by one without an end.
    await page.getByRole('button', { name: 'Suspend account 2' }).click()
    await page.getByLabel('Reason').fill('A test')
    const forDays = { token: TOKEN, body: { reason: 'Mine', days: 3 } }
    assert.equal((await world.operate('/moderation/accounts/2/suspend', forDays)).status, 200)
    await dialog.getByRole('button', { name: 'Suspend account 2' }).click()
    await text('One account was suspended already and was left as it was.')
    assert.ok((await operate('/moderation/accounts/2')).body.suspendedUntil > 0)
    await page.getByRole('button', { name: 'Restore account 2' }).click()
    await page.getByLabel('Reason').fill('A test')
    await dialog.getByRole('button', { name: 'Restore account 2' }).click()
    await page.getByRole('button', { name: 'Suspend account 2' }).click()
    await page.getByLabel('Reason').fill('A test')
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend account 2' }).click()
    await page.getByRole('button', { name: 'Restore account 2' }).waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByLabel('Reason').fill('It was a test')
    await page.getByRole('dialog').getByRole('button', { name: 'Restore account 2' }).click()
    await page.getByRole('button', { name: 'Suspend account 2' }).waitFor()
    await page.getByLabel('Fid, name or custody address').fill('nobody')
    await page.getByRole('button', { name: 'Search' }).click()
    await text('No accounts match')
  })

  it('an app gets a key, which is shown once and works until it is revoked', async () => {
    await go('apps')
    await page.getByLabel('Name of the app').fill(HOSTILE)
    await page.getByRole('button', { name: 'Create key' }).click()
    await text('The key, shown once')
    const key = (await page.locator('.secret code').textContent())!
    const answer = async () =>
      (
        await fetch(`${world.app.urls.app}/v2/farcaster/user/bulk?fids=1`, {
          headers: { 'x-api-key': key },
        })
      ).status
    assert.equal(await answer(), 200)
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke it now' }).click()
    await page.getByRole('cell', { name: /^revoked/ }).waitFor()
    for (const start = Date.now(); (await answer()) !== 401; await delay(100)) {
      assert.ok(Date.now() - start < PATIENCE_MS, 'the key works on')
    }
  })

  it('settings are shown with where they come from and without secrets, and jobs with their runs', async () => {
    await go('server')
    const row = page.getByRole('row', { name: /^ROOKERY_OPS_TOKEN/ })
    await row.getByText('secret', { exact: true }).waitFor()
    await page.getByLabel('Also those that are not given').check()
    await page.getByRole('row', { name: /^ROOKERY_CORS_ORIGIN \* default/ }).waitFor()
    assert.ok(!(await page.content()).includes(TOKEN))
    await go('jobs')
    await page.getByRole('row', { name: /sample metrics/ }).waitFor()
    await text('This process is the leader.')
  })

  it('who may join is changed without a restart, put back, and left alone where the machine locks it', async () => {
    await go('settings')
    const join = page.locator('form', { has: page.getByLabel('Who may join') })
    const signup = async () =>
      ((await (await fetch(`${world.app.urls.accounts}/v1/info`)).json()) as { signup: string })
        .signup
    await join.getByText('This is the default.').waitFor()
    await join.getByLabel('Who may join').selectOption('approval')
    await join.getByRole('button', { name: 'Save' }).click()
    await join.getByText('Changed here by the operator').waitFor()
    assert.equal(await signup(), 'approval')
    await keepPicture(page, 'settings')
    assert.deepEqual(await accessibilityFaults(page), [])
    await join.getByRole('button', { name: /^Back to .*, as the machine says/ }).click()
    await join.getByText('This is the default.').waitFor()
    assert.equal(await signup(), 'open')
    const video = page.locator('form', { hasText: 'Largest video' })
    await video.getByText('locked there').waitFor()
    assert.equal(await video.getByLabel('Largest video', { exact: true }).isDisabled(), true)
  })

  it('a translator is tried before it is in force, its key is not shown again, and it is taken away', async (t) => {
    const standIn = await startTranslator()
    t.after(() => standIn.close())
    await go('translator')
    await page.getByLabel('Address', { exact: true }).fill(standIn.url)
    await page.getByLabel('It is in the network').check()
    await page.getByLabel(/^Key/).fill('not the key')
    await page.getByRole('button', { name: 'Try it and save' }).click()
    await page.getByRole('alert').waitFor()
    await page.getByLabel(/^Key/).fill('not-the-key')
    await page.getByRole('button', { name: 'Try it and save' }).click()
    await page.getByRole('alert').getByText('does not accept the key').waitFor()
    assert.equal((await operate('/server/translator')).body.kind, null)
    await page.getByLabel(/^Key/).fill(LIBRE_KEY)
    await page.getByRole('button', { name: 'Try it and save' }).click()
    await text('In force. Changed here by')
    await text('A key is stored, and is not shown.')
    assert.ok(!(await page.content()).includes(LIBRE_KEY))
    await keepPicture(page, 'translator')
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Have nothing translated' }).click()
    await page.getByText('In force.').waitFor({ state: 'detached' })
    assert.equal((await operate('/server/translator')).body.hasKey, false)
  })

  it('a number can be emptied and typed anew, and what is turned on has a proposal', async () => {
    await go('settings')
    const form = page.locator('form', { hasText: 'Pictures and videos of each member' })
    const number = form.getByLabel('Pictures and videos of each member', { exact: true })
    await number.fill('')
    assert.ok(await form.getByLabel(': on').isChecked())
    await number.fill('250')
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('Changed here by the operator').waitFor()
    await form.getByRole('button', { name: /^Back to .*, as the machine says/ }).click()
    await form.getByText('This is the default.').waitFor()
  })

  it('who turns recovery off reads first how many moves wait, and may leave it on', async () => {
    const receiver = new Uint8Array(20).fill(6)
    const times = { deadline: 9e9, asked_at: 1, due_at: 9e9, by_mail: 0 as const }
    const row = {
      receiver,
      fid: 3,
      note: '',
      provider: '',
      signature: new Uint8Array(65),
      ...times,
    }
    await world.app.storage.write('hub', (tx) => tx.of(recoveryRows).put(row))
    const form = page.locator('form', { hasText: 'Recovery of lost accounts' })
    await form.getByLabel(': on').uncheck()
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByText('1 move waits').waitFor()
    await keepPicture(page, 'settings-recovery')
    assert.deepEqual(await accessibilityFaults(page), [])
    const days = async () => {
      const answer = await fetch(`${world.app.urls.accounts}/v1/recovery`)
      return ((await answer.json()) as { service: { waitDays: number } | null }).service?.waitDays
    }
    await form.getByRole('button', { name: 'Leave it on' }).click()
    assert.equal(await days(), 7)
    await form.getByRole('button', { name: 'Save' }).click()
    await form.getByRole('button', { name: 'Turn it off' }).click()
    await form.getByText('Changed here by the operator').waitFor()
    assert.equal(await days(), undefined)
    await form.getByRole('button', { name: /^Back to .*, as the machine says/ }).click()
    await form.getByText('Set by ROOKERY_RECOVERY_DAYS').waitFor()
    await world.app.storage.write('hub', (tx) => tx.of(recoveryRows).remove(row))
  })

  it('the operator asks for descriptions of pictures with one box, and takes it back', async () => {
    await go('face')
    const box = page.getByLabel('Pictures and videos must be described')
    const rule = async () => (await operate('/server/texts')).body.texts.descriptions
    for (const wanted of [true, false]) {
      await box.setChecked(wanted)
      await page.getByRole('button', { name: 'Save' }).click()
      await until(async () => ((await rule()) === 'required') === wanted, 'it is saved')
      await text('Saved.')
      if (wanted) assert.deepEqual(await accessibilityFaults(page), [])
    }
  })

  it('the operator suspends and restores an account with a reason, and the log shows it', async () => {
    await go('moderation')
    await text('No open reports')
    for (const [action, words] of [
      ['suspend', 'Suspend account 2'],
      ['restore', 'Restore account 2'],
    ] as const) {
      await page.getByLabel('What').selectOption(action)
      await page.getByRole('combobox', { name: 'Account' }).fill('2')
      await page.getByRole('option', { name: /account 2$/ }).click()
      const confirm = page.getByRole('dialog').getByRole('button', { name: words })
      assert.equal(await confirm.isDisabled(), true)
      await page.getByLabel('Reason').fill(HOSTILE)
      assert.deepEqual(await accessibilityFaults(page), [])
      await confirm.click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      const done =
        action === 'suspend' ? 'suspended account 2' : 'ended the suspension of account 2'
      await page.getByRole('cell', { name: done, exact: true }).first().waitFor()
      const { suspended } = (await operate('/moderation/accounts/2')).body
      assert.equal(suspended, action === 'suspend')
    }
    assert.ok((await page.getByText(SHOWN).count()) >= 2, 'hostile text is shown as text')
    await page.locator('summary', { hasText: 'Filter the log' }).click()
    const filter = page.locator('.log-filter')
    await filter.getByLabel('What').selectOption('Settings and texts of the server')
    await page.getByRole('cell', { name: 'suspended account 2' }).first().waitFor(GONE)
    await filter.getByLabel('What').selectOption('All kinds')
    await filter.getByLabel('About whom').fill('!2')
    await filter.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('cell', { name: 'limited account 3' }).first().waitFor(GONE)
    await page.getByRole('cell', { name: 'suspended account 2' }).first().waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await keepPicture(page, 'log-filter')
    await filter.getByLabel('From day').fill('2999-01-01')
    await text('Nothing matches')
    await filter.getByLabel('From day').fill('')
    await page.locator('summary', { hasText: 'Filter the log' }).click()
    await page.getByRole('cell', { name: 'suspended account 2' }).first().waitFor()
    // Columns of long texts leave room for the words of the others.
    const actor = page.getByRole('row', { name: 'ended the suspension' }).first().locator('bdi')
    assert.equal(await actor.first().innerText(), 'the operator')
    const lines = await page.evaluate<number>(
      "document.querySelector('.rows .who-acted').getClientRects().length",
    )
    assert.ok(lines <= 2, `two words are on ${lines} lines`)
    // A refusal is shown where it happened.
    await page.getByLabel('What').selectOption('take')
    await page.getByRole('combobox', { name: 'Account' }).fill('2')
    await text('Nobody with this name is found.')
    await page.getByLabel('What').selectOption('hide')
    // A link to a post will do.
    const hash = `0x${'ab'.repeat(20)}`
    await page.getByLabel('Hash of the post').fill(`https://social.example/cast/${hash}`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByLabel('Reason').fill('Not theirs')
    await page.getByRole('dialog').getByRole('button', { name: /^Hide/ }).click()
    await page.getByRole('dialog').getByRole('alert').waitFor()
    await page.keyboard.press('Escape')
  })

  it('a role is given to who has the account at the address that the operator sees, and to nobody else', async () => {
    await go('staff')
    const field = page.getByRole('combobox', { name: 'Add somebody' })
    await field.fill('999')
    await text('Nobody with this name is found.')
    const [given, moved] = await world.accounts([2, 3])
    for (const [account, name] of [
      [given!, 'Zoë Blackbird'],
      [moved!, 'Kim Magpie'],
    ] as const) {
      const type = UserDataType.USER_DATA_TYPE_DISPLAY
      await world.submit(world.sign(account, userDataAdd(world.origin(account), type, name)))
    }
    await indexed(world.app)
    const choose = async (words: string, name: string) => {
      await field.fill(words)
      await page.getByRole('option', { name: new RegExp(name) }).waitFor()
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Make moderator' }).click()
    }
    await field.fill('blackb')
    await page.getByRole('option', { name: /Zoë Blackbird/ }).waitFor()
    await keepPicture(page, 'staff-found')
    await choose('blackbird', 'Zoë Blackbird')
    await page.getByRole('dialog').getByText(hex(given!.custody)).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByLabel('Reason').fill('Kind')
    await page.getByRole('button', { name: 'Make account 2 moderator' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: /Zoë Blackbird/ }).waitFor()
    await keepPicture(page, 'staff')
    await choose('3', 'Kim Magpie')
    await page.getByLabel('Reason').fill('Kind too')
    const block = { chainId: 10, blockNumber: 5_000, timestamp: 1_800_000_000 }
    const move = fidTransferred(3, moved!.custody, new Uint8Array(20).fill(3))
    await world.app.ledger!.importEvents(sealBlock([move], block))
    await page.getByRole('button', { name: 'Make account 3 moderator' }).click()
    await page
      .getByRole('alert')
      .getByText(/not the one that you have seen/)
      .waitFor()
    await page.keyboard.press('Escape')
    assert.equal((await operate('/moderation/staff')).body.staff.length, 1)
  })

  it('the operator reads why a mini app fails, removes one that is reported, brings it back and features it', async () => {
    const app: AppServer = await startAppServer()
    const { domain } = app
    assert.equal(
      (await world.operate('/platform/mini-apps', { token: TOKEN, body: { domain } })).status,
      200,
    )
    const [reporter] = await world.accounts([1])
    const body = { miniAppDomain: domain, reason: `It asks for passwords ${HOSTILE}` }
    const reported = await world.platform('/v1/reports', { body, token: world.token(reporter!) })
    assert.ok(reported.status < 300, JSON.stringify(reported.body))
    await go('miniapps')
    const row = page.getByRole('table', { name: 'Mini apps' }).getByRole('row', { name: domain })
    await row.getByRole('cell', { name: /^listed/ }).waitFor()
    app.manifest.name = ''
    await row.getByRole('button', { name: `Read ${domain} again` }).click()
    await row.getByText(/name is empty/).waitFor()
    await text(SHOWN)
    await page.getByRole('button', { name: `Remove mini app ${domain}` }).click()
    await page.getByLabel('Reason').fill('It asks for passwords')
    const remove = page.getByRole('dialog').getByRole('button', { name: /^Remove mini app/ })
    await remove.click()
    await row.getByRole('cell', { name: /^removed/ }).waitFor()
    const framed = async () => (await fetch(`${world.app.urls.web}/frame/${domain}`)).status
    assert.equal(await framed(), 404)
    await page.getByRole('button', { name: /^Resolve report/ }).click()
    await page.getByLabel('Reason').fill('Removed')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Resolve report/ })
      .click()
    await text('No mini app is reported')
    await row.getByRole('button', { name: `Restore ${domain}` }).click()
    await page.getByLabel('Reason').fill('Mended')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Restore mini app/ })
      .click()
    await row.getByRole('cell', { name: /^listed/ }).waitFor()
    assert.equal(await framed(), 200)
    await page.getByLabel('Host, such as poll.example').fill('cards.example')
    await page.getByRole('button', { name: 'Block this host' }).click()
    await page.getByLabel('Reason').fill('Its snaps ask for passwords')
    await page.getByRole('dialog').getByRole('button', { name: 'Block cards.example' }).click()
    const blocked = page
      .getByRole('table', { name: 'Mini apps' })
      .getByRole('row', { name: 'cards' })
    await blocked.getByRole('cell', { name: /^removed/ }).waitFor()
    await blocked.getByRole('button', { name: 'Restore cards.example' }).click()
    await page.getByLabel('Reason').fill('A mistake')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Restore/ })
      .click()
    await blocked.waitFor({ state: 'detached' })
    const form = page.locator('form', { hasText: 'Domains, one a line' })
    await form.getByRole('textbox').fill('unknown.example')
    await form.getByRole('button', { name: 'Save the list' }).click()
    await form
      .getByText(/unknown\.example/)
      .last()
      .waitFor()
    await form.getByRole('textbox').fill(domain)
    const saved = page.waitForResponse((one) => one.request().method() === 'PUT' && one.ok())
    await form.getByRole('button', { name: 'Save the list' }).click()
    await saved
    await page.reload()
    await go('miniapps')
    await untilInPage(page, `document.querySelector('form textarea')?.value === '${domain}'`)
    const { result } = (await operate('/platform/featured-mini-apps')).body
    assert.deepEqual(
      result.apps.map((one: { domain: string }) => one.domain),
      [domain],
    )
    await app.close()
  })

  it('the operator makes an invite, whose code is shown once, and revokes it', async () => {
    await go('invites')
    await text('No invites yet')
    await page.getByLabel('Label').fill('Friends')
    await page.getByRole('button', { name: 'Create invite' }).click()
    await text('The code, shown once')
    await text('Send it to whom you invite: one person can join with it, until')
    await text('1 of 1')
    await page.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('button', { name: 'Revoke it now' }).click()
    await text('No invites yet')
    assert.deepEqual((await operate('/accounts/invites')).body.invites, [])
  })

  it('key requests, webhooks, badge runs and backups are listed, and a backup is made on demand', async () => {
    await go('apps')
    await text('No requests are pending')
    await page.getByLabel('State').selectOption('completed')
    await text('No requests are completed')
    await text('No webhooks')
    await go('badges')
    await page.getByRole('button', { name: 'Compute the set now' }).click()
    await text(/^Started/)
    await go('backups')
    await text('No backup yet')
    await page.getByRole('button', { name: 'Make a backup now' }).click()
    await page
      .getByRole('cell', { name: /^rookery-/ })
      .first()
      .waitFor()
    await text(/are as they should be/)
    // As the clock of the reader has it; beside it as logs have it.
    const begun = page.locator('td time').first()
    const iso = (await begun.getAttribute('datetime'))!
    const styles = { dateStyle: 'medium', timeStyle: 'medium', timeZone: TIME_ZONE } as const
    assert.deepEqual(
      [await begun.innerText(), await begun.getAttribute('title')],
      [
        new Intl.DateTimeFormat('en-GB', styles).format(new Date(iso)),
        `${iso.slice(0, 19).replace('T', ' ')} UTC`,
      ],
    )
    assert.equal((await operate('/backups')).body.backups.length, 1)
  })

  it('recent errors are listed with the id of their request', async () => {
    const err = new Error(HOSTILE)
    world.app.logger.error({ err, requestId: 'request-of-the-test', route: '/v1/test' }, 'fault')
    await go('errors')
    await text('request-of-the-test')
    await text(SHOWN)
    assert.ok(!(await page.content()).includes('\u202e'))
    const { errors } = (await operate('/errors')).body
    const { requestId, where } = errors[0]
    assert.deepEqual([requestId, where], ['request-of-the-test', '/v1/test'])
    for (let i = 0; i < 200; i++) world.app.logger.error({ err }, 'one of many')
    assert.equal((await operate('/errors')).body.errors.length, 100)
  })

  it('who asks for a lost account is shown with what they write, and is refused with a reason', async () => {
    const { storage, clock } = world.app
    const receiver = new Uint8Array(20).fill(0x5b)
    const asked_at = Math.floor(clock.now() / 1_000)
    const terms = {
      deadline: asked_at,
      signature: new Uint8Array(65),
      asked_at,
      due_at: null,
      by_mail: 0 as const,
    }
    await storage.write('hub', (tx) =>
      tx.of(recoveryRows).put({ receiver, fid: 2, note: HOSTILE, provider: '', ...terms }),
    )
    // The menu counts what waits, as the overview does.
    await go('overview')
    await page.locator('nav a[href="#recovery"] .count').waitFor()
    await go('recovery')
    await text(SHOWN)
    await text(/The account has never written|The newest message of the account/)
    await text('An account moves 7 days after you have started it.')
    await keepPicture(page, 'recovery-request')
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByLabel('Reason').fill('It was somebody else')
    await page.locator('dialog[open] button[type=submit]').click()
    await text('Nobody has asked for a lost account')
    const { entries } = (await operate('/moderation/log?limit=1')).body.result
    assert.deepEqual(
      [entries[0].action, entries[0].fid, entries[0].actor],
      ['refuse-recovery', 2, 'operator'],
    )
  })

  it('every screen is free of axe faults in light and dark and fits a phone', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      await page.setViewportSize(colorScheme === 'dark' ? PHONE : DESKTOP)
      for (const screen of SCREENS) {
        await go(screen)
        await page.locator('main h2').first().waitFor()
        for (const one of await page.locator('.skeletons').all()) {
          await one.waitFor({ state: 'detached' })
        }
        assert.deepEqual(await accessibilityFaults(page), [], `${screen}, ${colorScheme}`)
        const width = Number(await page.evaluate('document.documentElement.scrollWidth'))
        assert.ok(width <= page.viewportSize()!.width, `${screen} is ${width} wide`)
        await keepPicture(page, `${screen}-${colorScheme}`)
      }
    }
  })

  it('every command of the operator is a form that is made from its declaration', async () => {
    await go('commands')
    const details = page.locator('main details')
    await details.first().waitFor()
    assert.equal(await details.count(), Object.keys(CALLS.operations).length)
    const open = async (summary: string) => {
      const command = details.filter({
        has: page.locator('summary', { hasText: new RegExp(`^${summary}$`) }),
      })
      await command.locator('summary').click()
      return command
    }
    const run = async (command: Locator) => {
      await command.getByRole('button', { name: 'Run', exact: true }).click()
      await command.getByRole('button', { name: 'Run it now' }).click()
      await command.getByRole('region', { name: /^Answer/ }).waitFor()
    }
    const reserve = await open('Reserve channel ids')
    await reserve.getByLabel('Ids').fill('town\nmayor')
    await keepPicture(page, 'commands')
    await run(reserve)
    const { result } = (await operate('/platform/channels/reserved')).body
    assert.deepEqual(result.ids, ['mayor', 'town'])
    const credits = await open('Grant credits to a sponsor, or remove some with a negative amount')
    await credits.getByLabel('Fid').fill('1')
    await credits.getByLabel('Amount').fill('250')
    await credits.getByLabel('Reason').fill('a gift')
    await run(credits)
    const balance = (await operate('/platform/credits?fid=1')).body
    assert.match(JSON.stringify(balance), /250/)
    const mark = await open('Add a fid to the power badges, or exclude it')
    await mark.getByLabel('Fid').fill('2')
    await mark.getByLabel('Kind').selectOption('exclude')
    await mark.getByLabel('Reason').fill('a bot')
    await run(mark)
    assert.match(JSON.stringify((await operate('/platform/badges/marks')).body), /a bot/)
    await run(await open('Delete the views and build them again'))
    const exported = await open('Export all channels, their followers and their memberships')
    await exported.getByRole('button', { name: 'Show' }).click()
    await exported.getByRole('region', { name: /^Answer/ }).waitFor()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      exported.getByRole('button', { name: 'Download all' }).click(),
    ])
    assert.ok(download.suggestedFilename().endsWith('.jsonl'))
    const mirror = await open('How far the mirror is')
    await mirror.getByRole('button', { name: 'Show' }).click()
    await mirror.locator('.fault').waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.getByLabel('Find a command').fill('erase good')
    await page.getByText('Erase all messages of an account for good').waitFor()
    await details.nth(1).waitFor({ state: 'detached' })
    assert.equal(await details.count(), 1)
  })

  it('the page asks no other origin, breaks no policy, and forgets the token when the operator leaves', async () => {
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByLabel('Token').waitFor()
    for (const start = Date.now(); ; await delay(50)) {
      if ((await page.evaluate('sessionStorage.length')) === 0) break
      assert.ok(Date.now() - start < PATIENCE_MS, 'the token is kept')
    }
    const origin = world.app.urls.operations
    assert.deepEqual(
      asked.filter((url) => !url.startsWith(`${origin}/`)),
      [],
    )
    assert.deepEqual(faults, [])
    const { headers } = await fetch(`${origin}/operator`)
    assert.match(headers.get('content-security-policy')!, /^default-src 'none';/)
  })
})
