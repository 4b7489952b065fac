// Pictures in the web client, on a phone: chosen or pasted, described, cast, and seen by somebody else.

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { gifOf, mp4Of, photograph, plainPng } from '../media-support.ts'
import { blackJpeg, encode, movingAvif, paint } from '../pictures-support.ts'
import { until } from '../until.ts'
import { type BrowserWorld, TOUCH_PHONE } from './browser-world.ts'

/** Records half a second of a canvas as WebM; answers it in base64. */
const RECORD = `new Promise((resolve, reject) => {
  const canvas = document.createElement('canvas')
  const context = canvas.getContext('2d')
  const recorder = new MediaRecorder(canvas.captureStream(20), { mimeType: 'video/webm' })
  const parts = []
  let frame = 0
  const draw = setInterval(() => {
    context.fillStyle = frame % 2 ? '#1a7' : '#71a'
    context.fillRect(0, 0, 300, 150)
    if (++frame >= 12 && parts.length >= 3 && recorder.state === 'recording') recorder.stop()
  }, 50)
  // A browser without processor time records nothing for a while: pictures of several moments are needed to play.
  recorder.ondataavailable = ({ data }) => data.size > 0 && parts.push(data)
  recorder.onerror = reject
  recorder.onstop = async () => {
    clearInterval(draw)
    const bytes = new Uint8Array(await new Blob(parts).arrayBuffer())
    resolve(btoa(Array.from(bytes, (one) => String.fromCharCode(one)).join('')))
  }
  recorder.start(100)
})`

// biome-ignore lint/suspicious/noExplicitAny: elements have no types here
type Video = any

/** A film that says it is coded as HEVC, and that no browser can show. */
function hevcMp4(): Buffer {
  const film = mp4Of('moving picture', 'N52 31', 'A camera')
  film.write('hvc1', film.indexOf('avc1'))
  return film
}

/** The colour in the middle of a picture. */
const colourOf = (page: Page, path: string) =>
  page.evaluate<number[]>(`(async () => {
    const bitmap = await createImageBitmap(await (await fetch('${path}')).blob())
    const context = new OffscreenCanvas(1, 1).getContext('2d')
    context.drawImage(bitmap, -bitmap.width / 2, -bitmap.height / 2)
    return [...context.getImageData(0, 0, 1, 1).data]
  })()`)

const SHAPES = [
  [450, 300],
  [250, 400],
  [350, 350],
  [800, 200],
] as const

/** A hill, a sky and a sun, of another colour each time. */
const scene = (width: number, height: number, which: number) =>
  paint(width, height, (x, y) => {
    const isSun = Math.hypot(x - width * 0.7, y - height * 0.3) < height / 8
    if (isSun) return [250, 220, 120, 255]
    const hill = height * (0.65 + 0.15 * Math.sin((x / width) * 5 + which))
    const light = Math.round((120 * y) / height)
    return y > hill ? [30 * which, 110, 60, 255] : [90 + light, 140 + 10 * which, 230 - light, 255]
  })

/** What is painted behind elements. */
const backgroundsOf = (page: Page, selector: string) =>
  page.evaluate<string[]>(
    `Array.from(document.querySelectorAll('${selector}'), (one) => getComputedStyle(one).backgroundImage)`,
  )

const viewerOf = (page: Page) => page.locator('dialog.viewer')

declare const getComputedStyle: (element: Video) => Video

export function media(world: BrowserWorld): void {
  describe('pictures in the web client', { concurrency: 1 }, () => {
    const { actAs, check } = world
    // What a service worker fetches, no route of a test sees.
    const visitor = () => world.visitor({ ...TOUCH_PHONE, serviceWorkers: 'block' })

    const photo = (name: string, buffer: Buffer, mimeType = 'image/jpeg') => ({
      name,
      buffer,
      mimeType,
    })

    it('a photograph and a moving picture are posted at 360 pixels, and somebody else sees them', async () => {
      const page = await visitor()
      await actAs(page, 'raven')
      await page.goto(`${world.web}/compose`)
      await page
        .getByLabel('Picture', { exact: true })
        .setInputFiles([
          photo('garden.jpg', photograph(6, 'Smiths')),
          photo('waves.gif', gifOf(3), 'image/gif'),
        ])
      const alts = page.getByLabel('Description of')
      await alts.first().fill('A garden')
      // Pasted like a screenshot.
      const pasted = plainPng(20, 20, [9, 99, 9, 255]).toString('base64')
      await page.evaluate(`{
      const bytes = Uint8Array.from(atob('${pasted}'), (one) => one.charCodeAt(0))
      const files = new DataTransfer()
      files.items.add(new File([bytes], 'pasted.png', { type: 'image/png' }))
      const paste = { clipboardData: files, bubbles: true, cancelable: true }
      document.querySelector('.composer-text textarea').dispatchEvent(new ClipboardEvent('paste', paste))
    }`)
      await page.getByLabel('Remove pasted.png').waitFor()
      assert.equal(await alts.count(), 3)
      await page.getByLabel('Remove pasted.png').click()
      assert.equal(await alts.count(), 2)
      await check(page)
      await page.getByRole('textbox', { name: 'Your post' }).fill('From my garden')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await world.indexed()

      const other = await visitor()
      await other.goto(page.url())
      const picture = other.getByRole('img', { name: 'A garden' })
      await picture.waitFor()
      await until(
        () =>
          other.evaluate<boolean>(
            'Array.from(document.querySelectorAll(".gallery img")).filter((one) => one.naturalWidth > 0).length === 2',
          ),
        'the page shows it',
      )
      await check(other)
    })

    /** What the browser sends of a file. */
    async function sentOf(file: { name: string; buffer: Buffer; mimeType: string }) {
      const page = await visitor()
      await actAs(page, 'raven')
      await page.goto(`${world.web}/compose`)
      await page.evaluate(`{
      const { send } = XMLHttpRequest.prototype
      XMLHttpRequest.prototype.send = function (body) {
        window.sentFile = body
        send.call(this, body)
      }
    }`)
      await page.getByLabel('Picture', { exact: true }).setInputFiles([file])
      await until(() => page.evaluate<boolean>('window.sentFile !== undefined'), 'it is sent')
      return page.evaluate<{
        type: string
        size: number
        side: number[]
        corner: number[]
      }>(`(async () => {
      const bitmap = await createImageBitmap(window.sentFile)
      const context = new OffscreenCanvas(1, 1).getContext('2d')
      context.drawImage(bitmap, 0, 0)
      return {
        type: window.sentFile.type,
        size: window.sentFile.size,
        side: [bitmap.width, bitmap.height],
        corner: [...context.getImageData(0, 0, 1, 1).data],
      }
    })()`)
    }

    it('a large photograph is made smaller by the browser, upright, before it is sent', async () => {
      const large = blackJpeg(6_000, 4_000, 'Q=100')
      const sent = await sentOf(photo('lake.jpg', large))
      assert.deepEqual([sent.type, sent.side], ['image/jpeg', [2_560, 1_707]])
      assert.ok(sent.size < large.length)
    })

    it('a large transparent picture stays transparent when the browser makes it smaller, also an AVIF', async () => {
      const noise = paint(2_800, 300, (x, y) => [
        (x * y) % 251,
        (x ^ y) & 255,
        y % 200,
        x < 1_400 ? 0 : 255,
      ])
      for (const [suffix, type] of [
        ['.avif[effort=0,Q=90]', 'image/avif'],
        ['.png', 'image/png'],
        ['.webp[lossless=true,effort=0]', 'image/webp'],
      ] as const) {
        const sent = await sentOf(photo(`logo${suffix}`, encode(noise, suffix), type))
        assert.deepEqual(
          [sent.type, sent.side, sent.corner[3]],
          ['image/webp', [2_560, 274], 0],
          type,
        )
      }
    })

    it('a large moving AVIF is sent as it is, because a canvas would keep its first frame only', async () => {
      const moving = await movingAvif(2_800, 64, 3)
      const sent = await sentOf(photo('waves.avif', moving, 'image/avif'))
      assert.deepEqual([sent.type, sent.size], ['image/avif', moving.length])
    })

    it('a picture of an iPhone is sent as a JPEG by a browser that can read it, because the server cannot', async () => {
      // No browser of a test reads HEIC: what this file contains is read instead.
      const readable = photograph(1, 'Smiths')
      const sent = await sentOf(photo('IMG_1.heic', readable, 'image/heic'))
      assert.equal(sent.type, 'image/jpeg')
      assert.notEqual(sent.size, readable.length)
    })

    const castsOf = new Map<number, Promise<string>>()
    /** The path of a cast of so many pictures of different shapes, of which all but the last are described. */
    function castOf(count: number): Promise<string> {
      if (!castsOf.has(count)) castsOf.set(count, writeCastOf(count))
      return castsOf.get(count)!
    }
    async function writeCastOf(count: number): Promise<string> {
      const page = await visitor()
      await actAs(page, 'raven')
      await page.goto(`${world.web}/compose`)
      const files = SHAPES.slice(0, count).map(([width, height], i) =>
        photo(`${i}.png`, encode(scene(width, height, i + count), '.png'), 'image/png'),
      )
      await page.getByLabel('Picture', { exact: true }).setInputFiles(files)
      const alts = page.getByLabel('Description of')
      for (let i = 0; i < count - 1; i++) await alts.nth(i).fill(`Scene ${i + 1}`)
      await page.getByRole('textbox', { name: 'Your post' }).fill(`A walk of ${count}`)
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await world.indexed()
      const { pathname } = new URL(page.url())
      await page.context().close()
      return pathname
    }

    it('pictures of a cast have their room and their colours before they come, several of them as a grid', async () => {
      for (const count of [1, 2, 3, 4]) {
        const path = await castOf(count)
        const page = await visitor()
        const { promise: held, resolve: go } = Promise.withResolvers<void>()
        await page.route('**/media/*', async (request) => {
          await held
          await request.continue()
        })
        await page.goto(world.web + path)
        const grid = page.locator('.gallery')
        await grid.waitFor()
        const previews = async () =>
          (await backgroundsOf(page, '.gallery img')).map((one) => one.startsWith('url("data:'))
        await until(async () => (await previews()).length === count, 'the pictures are awaited')
        assert.ok(!(await previews()).includes(false), 'each has a preview')
        if (count === 2) {
          await page.getByRole('link', { name: 'Scene 1' }).click()
          const large = viewerOf(page).getByRole('img', { name: 'Scene 1' })
          const { width, height } = (await large.boundingBox())!
          assert.ok(Math.abs(width / height - 1.5) < 0.02, 'its shape is known')
          const [background] = await backgroundsOf(page, '.viewer img')
          assert.match(background!, /^url\("data:/)
          await world.checkAll(page, 'viewer-awaited')
          await page.keyboard.press('Escape')
          await viewerOf(page).waitFor({ state: 'detached' })
        }
        const before = await grid.boundingBox()
        assert.ok(Math.abs(before!.width / before!.height - 1.5) < 0.02, 'its shape is given')
        go()
        await until(
          () =>
            page.evaluate<boolean>(
              `Array.from(document.querySelectorAll('.gallery img')).filter((one) => one.naturalWidth > 0).length === ${count}`,
            ),
          'the pictures are there',
        )
        assert.deepEqual(await grid.boundingBox(), before)
        assert.equal(await grid.getByRole('img').count(), count)
        assert.ok(!(await previews()).includes(true), 'no preview is left behind them')
        await world.checkAll(page, `gallery-${count}`)
        await page.context().close()
      }
      const lost = await visitor()
      await lost.route('**/media/*', (request) => request.fulfill({ status: 404 }))
      await lost.goto(world.web + (await castOf(2)))
      await lost.getByText('This picture cannot be shown.').nth(1).waitFor()
      await lost.getByText('Scene 1').waitFor()
      assert.equal(await lost.locator('.gallery img').count(), 0)
      await world.checkAll(lost, 'lost-of-this-server')
      await lost.context().close()
    })

    it('a picture of another site, whose size nobody knows, moves nothing when it comes', async () => {
      const page = await visitor()
      await actAs(page, 'raven')
      await page.goto(`${world.web}/compose`)
      const text = page.getByRole('textbox', { name: 'Your post' })
      await text.fill('A tower https://pictures.example/tower.png')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await world.indexed()
      const other = await visitor()
      const { promise: held, resolve: go } = Promise.withResolvers<void>()
      await other.route('**/picture?*', async (request) => {
        await held
        const body = encode(scene(200, 700, 3), '.png')
        await request.fulfill({ contentType: 'image/png', body })
      })
      await other.goto(page.url())
      const picture = other.getByRole('img', { name: 'Picture from pictures.example' })
      await picture.waitFor()
      const foot = other.locator('article time').first()
      const before = [await picture.boundingBox(), await foot.boundingBox()]
      go()
      const height = () => picture.evaluate((one: Video) => one.naturalHeight as number)
      await until(async () => (await height()) === 700, 'the picture is there')
      assert.deepEqual([await picture.boundingBox(), await foot.boundingBox()], before)
      assert.equal(
        await picture.evaluate((one: Video) => getComputedStyle(one).objectFit),
        'scale-down',
        'a small one is not made larger',
      )
      await world.checkAll(other, 'of-another-site')
      const lost = await visitor()
      await lost.route('**/picture?*', (request) => request.fulfill({ status: 404 }))
      await lost.goto(page.url())
      const frame = lost.locator('.lost-picture')
      await frame.getByText('pictures.example').first().waitFor()
      const places = [
        await frame.boundingBox(),
        await lost.locator('article time').first().boundingBox(),
      ]
      assert.deepEqual(places, before)
      await world.checkAll(lost, 'lost')
    })

    it('pictures are seen large: keys go on and zoom, and closing gives back the focus', async () => {
      const path = await castOf(3)
      const page = await world.visitor()
      await page.goto(world.web + path)
      const tile = page.getByRole('link', { name: 'Scene 2' })
      await tile.click()
      const viewer = page.getByRole('dialog', { name: 'Picture 2 of 3' })
      await viewer.getByText('Scene 2').waitFor()
      await page.keyboard.press('ArrowRight')
      await page.getByRole('dialog', { name: 'Picture 3 of 3' }).waitFor()
      await viewerOf(page).getByRole('img', { name: 'Picture without a description' }).waitFor()
      const next = viewerOf(page).getByRole('button', { name: 'Next picture' })
      assert.equal(await next.getAttribute('aria-disabled'), 'true')
      // Two keys before the strip has moved count as two.
      await page.evaluate(
        `for (const _ of [1, 2]) document.activeElement.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true, cancelable: true }))`,
      )
      await page.getByRole('dialog', { name: 'Picture 1 of 3' }).waitFor()
      await world.checkAll(page, 'viewer')

      const seen = viewerOf(page).getByRole('img', { name: 'Scene 1' })
      const width = async () => (await seen.boundingBox())!.width
      const whole = await width()
      await page.keyboard.press('+')
      assert.ok(Math.abs((await width()) / whole - 1.5) < 0.02)
      // An arrow moves a picture that is larger than the window.
      await page.keyboard.press('+')
      await page.keyboard.press('+')
      const left = (await seen.boundingBox())!.x
      await page.keyboard.press('ArrowRight')
      await until(async () => (await seen.boundingBox())!.x < left, 'it moves')
      await page.getByRole('dialog', { name: 'Picture 1 of 3' }).waitFor()
      for (const _ of [1, 2, 3]) await page.keyboard.press('-')
      assert.ok(Math.abs((await width()) - whole) < 2)
      await seen.dblclick()
      assert.ok((await width()) > 2 * whole)
      await seen.dblclick()
      assert.ok(Math.abs((await width()) - whole) < 2)

      await page.keyboard.press('Escape')
      await viewerOf(page).waitFor({ state: 'detached' })
      assert.ok(await tile.evaluate((one: Video) => one === one.ownerDocument.activeElement))

      // Where lines run from right to left the next picture is on the left.
      const turned = await world.visitor()
      await turned.route(world.web + path, async (route) => {
        const response = await route.fetch()
        const body = (await response.text()).replace(/<html [^>]*>/, '<html lang="ar" dir="rtl">')
        await route.fulfill({ response, body })
      })
      await turned.goto(world.web + path)
      const first = await turned.getByRole('link', { name: 'Scene 1' }).boundingBox()
      const second = turned.getByRole('link', { name: 'Scene 2' })
      assert.ok((await second.boundingBox())!.x < first!.x)
      await second.click()
      await viewerOf(turned).getByText('Scene 2').waitFor()
      await turned.keyboard.press('ArrowLeft')
      await turned.getByRole('dialog', { name: 'Picture 3 of 3' }).waitFor()
      await turned.keyboard.press('ArrowRight')
      await turned.keyboard.press('ArrowRight')
      await turned.getByRole('dialog', { name: 'Picture 1 of 3' }).waitFor()
      // The way back closes it, too, and stays on the page.
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Picture 2 of 3' }).waitFor()
      await page.goBack()
      await viewerOf(page).waitFor({ state: 'detached' })
      assert.equal(new URL(page.url()).pathname, path)
      await check(page)
    })

    it('on a phone a finger leads to the next picture, and two fingers make it larger', async () => {
      const path = await castOf(2)
      const page = await visitor()
      await page.goto(world.web + path)
      await page.getByRole('link', { name: 'Scene 1' }).tap()
      await page.getByRole('dialog', { name: 'Picture 1 of 2' }).waitFor()
      const fingers = await page.context().newCDPSession(page)
      const touch = (
        type: 'touchStart' | 'touchMove' | 'touchEnd',
        ...points: [number, number][]
      ) =>
        fingers.send('Input.dispatchTouchEvent', {
          type,
          touchPoints: points.map(([x, y], id) => ({ x, y, id })),
        })
      const seen = viewerOf(page).getByRole('img', { name: 'Scene 1' })
      const whole = (await seen.boundingBox())!.width
      await touch('touchStart', [150, 350], [210, 350])
      await touch('touchMove', [90, 350], [270, 350])
      await touch('touchEnd')
      await until(async () => (await seen.boundingBox())!.width > 2.5 * whole, 'it is larger')
      await touch('touchStart', [90, 350], [270, 350])
      await touch('touchMove', [170, 350], [190, 350])
      await touch('touchEnd')
      await until(async () => (await seen.boundingBox())!.width < 1.1 * whole, 'it is whole again')
      await touch('touchStart', [300, 350])
      for (const x of [270, 220, 150, 80]) await touch('touchMove', [x, 350])
      await touch('touchEnd')
      await page.getByRole('dialog', { name: 'Picture 2 of 2' }).waitFor()
      await check(page)
    })

    it('a file that is no picture is told with its reason, and nothing can be sent until it is removed', async () => {
      const page = await visitor()
      await actAs(page, 'heron')
      await page.goto(`${world.web}/compose`)
      await page.getByRole('textbox', { name: 'Your post' }).fill('Look')
      await page
        .getByLabel('Picture', { exact: true })
        .setInputFiles([photo('page.png', Buffer.from('<script>alert(1)</script>'), 'image/png')])
      await page.getByText('is not a picture in JPEG').waitFor()
      const send = page.getByRole('button', { name: 'Post', exact: true })
      assert.ok(await send.isDisabled())
      await page.getByLabel('Remove page.png').click()
      assert.equal(await send.isDisabled(), false)
    })

    it('a picture of a cast that is chosen again, also twice, keeps its description unless one writes another', async () => {
      const page = await visitor()
      await actAs(page, 'heron')
      const bytes = plainPng(45, 20, [9, 99, 200, 255])
      const [file, copy] = ['pond.png', 'copy.png'].map((name) => photo(name, bytes, 'image/png'))
      const alts = page.getByLabel('Description of')
      const send = page.getByRole('button', { name: 'Post', exact: true })
      const choose = async (...files: ReturnType<typeof photo>[]) => {
        await page.goto(`${world.web}/compose`)
        await page.getByLabel('Picture', { exact: true }).setInputFiles(files)
        await until(() => send.isEnabled(), 'all is sent')
      }
      const sent = async (words: string) => {
        await page.getByRole('textbox', { name: 'Your post' }).fill(words)
        await send.click()
        await page.waitForURL(/\/cast\/0x/)
        await world.indexed()
      }
      await choose(file!)
      await alts.fill('A pond')
      await sent('Still water')
      const first = page.url()
      await choose(file!, copy!)
      assert.equal(await alts.count(), 1, 'one file has one row')
      assert.equal(await alts.inputValue(), 'A pond')
      // A draft that was begun before the description was written.
      const draft = await page.evaluate<string>("localStorage.getItem('rookery.drafts')")
      assert.match(draft, /"alt":"A pond","isWritten":false/)
      await page.goto(`${world.web}/`)
      await page.evaluate(
        `localStorage.setItem('rookery.drafts', ${JSON.stringify(draft.replace('A pond', ''))})`,
      )
      await page.goto(`${world.web}/compose`)
      await until(() => send.isEnabled(), 'the draft is there')
      assert.equal(await alts.inputValue(), '')
      await sent('Again')
      await page.goto(first)
      await page.getByRole('img', { name: 'A pond' }).waitFor()
      await choose(file!)
      await alts.fill('')
      await sent('Without words')
      await page.goto(first)
      await page.getByRole('img', { name: 'Picture without a description' }).waitFor()
    })

    it('where the operator asks for descriptions, a cast without one is not sent, and says which picture lacks it', async () => {
      const rule = async (descriptions: string | null) => {
        const put = await fetch(`${world.app.urls.operations}/server/texts`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ texts: { descriptions } }),
        })
        assert.equal(put.status, 200)
      }
      try {
        const page = await visitor()
        await actAs(page, 'heron')
        await page.goto(`${world.web}/compose`)
        const files = [41, 42].map((side) =>
          photo(`${side}.png`, plainPng(side, 20, [9, 99, 200, 255]), 'image/png'),
        )
        await page.getByLabel('Picture', { exact: true }).setInputFiles(files)
        const alts = page.getByLabel('Description of')
        await alts.first().fill('A lake')
        await alts.nth(1).fill('  ')
        // The page is open when the rule begins.
        await rule('required')
        const send = page.getByRole('button', { name: 'Post', exact: true })
        await until(() => send.isEnabled(), 'all is sent')
        await send.click()
        await page.getByText('Describe 42.png: this server asks for it.').waitFor()
        const bare = page.getByRole('textbox', { name: /^Description of 42\.png.*required/ })
        assert.ok(await bare.evaluate((one: Video) => one === one.ownerDocument.activeElement))
        const faults = () =>
          alts.evaluateAll((all: Video[]) => all.map((one) => one.getAttribute('aria-invalid')))
        assert.deepEqual(await faults(), ['false', 'true'])
        const field = (await bare.boundingBox())!
        const button = (await page.getByLabel('Remove 42.png').boundingBox())!
        assert.ok(button.y + button.height <= field.y, 'nothing lies over the field')
        await world.checkAll(page, 'composer-undescribed')
        await alts.nth(1).fill('Its shore')
        assert.deepEqual(await faults(), ['false', 'false'])
        await send.click()
        await page.waitForURL(/\/cast\/0x/)
        // The same file has its description again.
        await page.goto(`${world.web}/compose`)
        await page.getByLabel('Picture', { exact: true }).setInputFiles(files.slice(0, 1))
        await page.getByText('You have uploaded this file before.').waitFor()
        assert.equal(await alts.inputValue(), 'A lake')
        await check(page)
      } finally {
        await rule(null)
      }
    })

    it('an upload that fails says why, and is tried again without the others', async () => {
      const page = await visitor()
      await actAs(page, 'heron')
      await page.goto(`${world.web}/compose`)
      let sent = 0
      await page.route('**/platform/v1/media', (request) =>
        ++sent === 1 ? request.abort() : request.continue(),
      )
      const chooser = page.getByLabel('Picture', { exact: true })
      await chooser.setInputFiles([photo('one.png', plainPng(31, 20, [1, 2, 3, 255]), 'image/png')])
      await page.getByText('one.png: The file could not be sent. Check your connection.').waitFor()
      await chooser.setInputFiles([photo('two.png', plainPng(32, 20, [1, 2, 3, 255]), 'image/png')])
      await until(() => sent === 2, 'the other one is sent')
      await world.checkAll(page, 'composer-failed')
      const send = page.getByRole('button', { name: 'Post', exact: true })
      assert.ok(await send.isDisabled())
      await page.getByRole('button', { name: 'Try again to send one.png' }).click()
      await until(() => send.isEnabled(), 'all is sent')
      assert.equal(sent, 3)
    })

    it('a draft keeps its pictures and descriptions, is sent with them, and ends when its account signs out', async () => {
      const page = await visitor()
      await actAs(page, 'heron')
      await page.goto(`${world.web}/compose`)
      const text = page.getByRole('textbox', { name: 'Your post' })
      const alt = page.getByLabel('Description of')
      const send = page.getByRole('button', { name: 'Post', exact: true })
      const drafts = () => page.evaluate<string>("localStorage.getItem('rookery.drafts') ?? ''")
      const choose = async (side: number) => {
        await page
          .getByLabel('Picture', { exact: true })
          .setInputFiles([photo('sea.png', plainPng(side, 20, [9, 9, 200, 255]), 'image/png')])
        await until(() => send.isEnabled(), 'it is sent')
      }
      await choose(61)
      await alt.fill('The sea at noon')
      await text.fill('Blue')
      await page.goto(`${world.web}/`)
      await page.goto(`${world.web}/compose`)
      await until(async () => (await alt.inputValue()) === 'The sea at noon', 'it is found again')
      assert.equal(await text.inputValue(), 'Blue')
      await until(
        () => page.evaluate<boolean>("document.querySelector('.preview img').naturalWidth === 61"),
        'it is shown',
      )
      await send.click()
      await page.waitForURL(/\/cast\/0x/)
      await page.getByRole('img', { name: 'The sea at noon' }).waitFor()
      assert.doesNotMatch(await drafts(), /noon/)

      // A picture without a word is a draft, too.
      await page.goto(`${world.web}/compose`)
      await choose(62)
      await until(async () => /sea\.png/.test(await drafts()), 'it is kept')
      await page.route('**/media/*.jpg', (request) => request.fulfill({ status: 404 }))
      await page.reload()
      await page.getByText('sea.png: The server does not keep it any more.').waitFor()
      assert.ok(await send.isDisabled())
      await text.fill('Still here')
      await until(async () => /Still here/.test(await drafts()), 'it is kept')
      await world.signOut(page)
      await until(async () => !/Still here/.test(await drafts()), 'nothing is left')
    })

    it('what an author marks as sensitive is blurred until a reader asks for it', async () => {
      const page = await visitor()
      await actAs(page, 'heron')
      await page.goto(`${world.web}/compose`)
      const wounds = [71, 72].map((side) =>
        photo(`${side}.png`, plainPng(side, 90, [200, 9, 9, 255]), 'image/png'),
      )
      await page.getByLabel('Picture', { exact: true }).setInputFiles(wounds)
      await page.getByLabel('Description of').first().fill('A wound')
      await page.getByLabel('Sensitive: blurred until a reader asks for it').check()
      await page.getByRole('textbox', { name: 'Your post' }).fill('@raven, be careful')
      await world.checkAll(page, 'composer-sensitive')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await world.indexed()

      const reader = await world.visitor()
      await reader.goto(page.url())
      const show = reader.getByRole('button', { name: 'Show', exact: true })
      await show.waitFor()
      assert.equal(
        await reader.locator('.veil[inert]').count(),
        1,
        'the keyboard does not reach it',
      )
      assert.match(
        await reader.locator('.veil').evaluate((one: Video) => getComputedStyle(one).filter),
        /blur/,
      )
      await world.checkAll(reader, 'sensitive')
      await show.click()
      await reader.getByRole('link', { name: 'A wound' }).waitFor()
      assert.equal(await reader.locator('.veil').count(), 0)
      await check(reader)

      // A notification shows the picture in small, blurred too.
      const told = await visitor()
      await actAs(told, 'raven')
      await told.goto(`${world.web}/notifications`)
      const small = told.locator('.notice-picture.blurred img').first()
      await small.waitFor()
      assert.match(await small.evaluate((one: Video) => getComputedStyle(one).filter), /blur/)
      await world.checkAll(told, 'notifications-picture')

      // In another cast the same picture is what it was said to be.
      await page.goto(`${world.web}/compose`)
      await page.getByLabel('Picture', { exact: true }).setInputFiles(wounds.slice(0, 1))
      const box = page.getByLabel('Sensitive: blurred until a reader asks for it')
      await until(() => box.isChecked(), 'the server has told that it is sensitive')
    })

    it('a profile gets an uploaded picture, and an address without one is told before it is saved', async () => {
      const page = await visitor()
      await actAs(page, 'heron')
      await page.goto(`${world.web}/profile`)
      await page.getByText('Or use an address').first().click()
      await page
        .getByLabel('Address of your picture')
        .fill(`${world.web}/media/${'0'.repeat(64)}.jpg`)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('There is no picture at the address of your picture.').waitFor()
      await page
        .getByLabel('Choose a picture', { exact: true })
        .setInputFiles([photo('me.png', plainPng(300, 300, [200, 9, 9, 255]), 'image/png')])
      await until(
        () =>
          page.evaluate<boolean>(
            'Array.from(document.querySelectorAll("input")).some((one) => /media\\/[1-9a-f][0-9a-f]{63}/.test(one.value) && !/0{64}/.test(one.value))',
          ),
        'the page shows it',
      )
      await check(page)
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForURL(/@/)
      await until(
        () =>
          page.evaluate<boolean>(
            'Array.from(document.querySelectorAll(".portrait img")).some((one) => one.naturalWidth > 0 && /media/.test(decodeURIComponent(one.src)))',
          ),
        'the page shows it',
      )
    })

    it('files are dropped, taken by the camera, and none is more than a cast can have', async () => {
      const page = await visitor()
      await actAs(page, 'raven')
      await page.goto(`${world.web}/compose`)
      await page.locator('.composer').waitFor()
      const dropped = plainPng(20, 20, [200, 9, 9, 255]).toString('base64')
      await page.evaluate(`{
      const bytes = Uint8Array.from(atob('${dropped}'), (one) => one.charCodeAt(0))
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([bytes], 'dropped.png', { type: 'image/png' }))
      const drop = new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true })
      document.querySelector('.composer').dispatchEvent(drop)
    }`)
      await page.getByLabel('Remove dropped.png').waitFor()
      const camera = page.getByLabel('Camera', { exact: true })
      assert.deepEqual(
        [await camera.getAttribute('capture'), await camera.getAttribute('accept')],
        ['environment', 'image/*'],
      )
      const shots = Array.from({ length: 4 }, (_, i) =>
        photo(`shot-${i}.png`, plainPng(20 + i, 20, [9, 9, 200, 255]), 'image/png'),
      )
      for (const shot of shots.slice(0, 3)) await camera.setInputFiles([shot])
      await page.getByLabel('Remove shot-2.png').waitFor()
      // A cast embeds four things.
      assert.ok(await camera.isDisabled())
      await page.getByLabel('Remove shot-2.png').click()
      await camera.setInputFiles([shots[3]!])
      await page.getByLabel('Remove shot-3.png').waitFor()
      const mouse = await world.visitor()
      await actAs(mouse, 'raven')
      await mouse.goto(`${world.web}/compose`)
      await mouse.getByLabel('Picture', { exact: true }).waitFor({ state: 'attached' })
      assert.equal(await mouse.getByLabel('Camera', { exact: true }).count(), 0)
    })

    it('videos wait for a finger, are silent at first, and play', async () => {
      const page = await visitor()
      await actAs(page, 'heron')
      // A real video, which the browser records from a canvas.
      const recorded = await page.evaluate<string>(RECORD)
      await page.goto(`${world.web}/compose`)
      await page
        .getByLabel('Picture', { exact: true })
        .setInputFiles([
          photo('walk.webm', Buffer.from(recorded, 'base64'), 'video/webm'),
          photo('sea.mp4', hevcMp4(), 'video/mp4'),
        ])
      await page.getByText('The video may not play everywhere').waitFor()
      const alts = page.getByLabel('Description of')
      await alts.nth(1).waitFor()
      await alts.first().fill('A walk')
      await alts.nth(1).fill('The sea')
      await page.getByRole('textbox', { name: 'Your post' }).fill('Moving')
      await page.getByRole('button', { name: 'Post', exact: true }).click()
      await page.waitForURL(/\/cast\/0x/)
      await world.indexed()

      const other = await visitor()
      const { promise: held, resolve: go } = Promise.withResolvers<void>()
      await other.route('**/media/*-small.jpg', async (request) => {
        await held
        await request.continue()
      })
      await other.goto(page.url())
      const walk = other.getByLabel('A walk')
      await walk.waitFor()
      assert.ok((await walk.getAttribute('src'))!.endsWith('.webm'))
      const state = await walk.evaluate((one: Video) => [
        ...[one.muted, one.autoplay, one.loop, one.controls, one.paused],
      ])
      assert.deepEqual(state, [true, false, false, true, true])
      const isPreviewed = async () =>
        (await backgroundsOf(other, 'video'))[0]!.startsWith('url("data:')
      assert.ok(await isPreviewed(), 'its colours are there before it')
      go()
      await until(async () => !(await isPreviewed()), 'they go when it has come')
      // The browser that sent it has drawn the picture that stands for it.
      const [red, green, blue] = await colourOf(other, (await walk.getAttribute('poster'))!)
      const colour = [
        red! > green! ? 0x77 : 0x11,
        red! > green! ? 0x11 : 0xaa,
        red! > green! ? 0xaa : 0x77,
      ]
      const far = [red!, green!, blue!].map((one, i) => Math.abs(one - colour[i]!))
      assert.ok(Math.max(...far) < 40, `its colour is ${red}, ${green}, ${blue}`)
      const lost = other.getByText('This video cannot be shown.').locator('..')
      await lost.getByText('The sea', { exact: true }).waitFor()
      const file = lost.getByRole('link', { name: 'Open in a new tab' })
      assert.ok((await file.getAttribute('href'))!.endsWith('.mp4'))
      const { height } = (await lost.boundingBox())!
      assert.ok(height > 100, `a film that cannot be shown has ${height} pixels in height`)
      await other.getByText(/^Length 0:0\d/).waitFor()
      await walk.evaluate((one: Video) => one.play())
      await until(
        async () => (await walk.evaluate((one: Video) => one.currentTime as number)) > 0,
        'it plays',
      )
      assert.equal(await walk.evaluate((one: Video) => one.muted), true)
      await other.getByText(/^Length 0:0\d/).waitFor({ state: 'detached' })
      await check(other)
    })
  })
}
