const BUILD = "7ddd7892cdbcfa04"
const FILES = ["/icon.svg","/theme.js","/assets/rolldown-runtime-XKyaHtl9.js","/assets/first-XD3hN9Fb.js","/assets/DmSAP6m2.css","/assets/frame-menu-BhIiuRVb.js","/assets/use-sign-out-Ba69IKAm.js","/assets/theme-switch-CwSCe4zH.js"]
const GONE = [502,503,504]
// Keeps the page itself, so that it opens without a connection, and shows pushes. The page keeps the last lists itself (kept-lists.ts).
// The build puts BUILD, which changes with every file, FILES, which the page needs first, and GONE (shared/gone.ts) before it.
/* global BUILD, FILES, GONE */

const CACHE = `rookery ${BUILD}`
const PAGE = '/'
/** Paths of the server that are no pages of the client. */
const OTHERS =
  /^\/(?:app|hub|registry|platform|accounts|dev|docs|operator|frame|~)(?:\/|$)|\.[a-z0-9]+$/i
/** Files are the same whatever the headers of the request say. */
const ANY = { ignoreVary: true }
/** Pictures of which the page keeps small ones (kept-pictures.ts). */
const PICTURES = /^\/(?:picture$|media\/)/

addEventListener('install', (event) => {
  event.waitUntil(
    caches.open(CACHE).then(async (cache) => {
      await cache.addAll(FILES.map(anew))
      await keepPage(cache)
    }),
  )
  // An older one would show an older page without a connection.
  self.skipWaiting()
})

const anew = (url) => new Request(url, { cache: 'reload' })
/** Where the page names the scripts of its language, which the page loaded before it was this worker's. */
const TEXTS = /(?:<meta name="rookery-texts" content|<script src)="(\/assets\/[^"]+)"/g

/** The page in the language that is chosen now, with its texts. */
async function keepPage(cache) {
  const response = await fetch(anew(PAGE))
  if (!response.ok) throw new Error(`the page cannot be kept: ${response.status}`)
  const html = await response.clone().text()
  await cache.addAll([...html.matchAll(TEXTS)].map(([, url]) => anew(url)))
  await cache.put(PAGE, response)
}

addEventListener('message', (event) => {
  if (event.data?.keep === 'page') event.waitUntil(caches.open(CACHE).then(keepPage))
})

addEventListener('activate', (event) => {
  event.waitUntil(
    caches.keys().then(async (names) => {
      const old = names.filter((name) => name.startsWith('rookery ') && name !== CACHE)
      await Promise.all(old.map((name) => caches.delete(name)))
      // A newer page may not understand the lists of an older one (kept-lists.ts).
      if (old.length > 0)
        await Promise.all(['lists', 'pictures'].map((name) => caches.delete(name)))
      await self.clients.claim()
    }),
  )
})

addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== location.origin) return
  if (request.mode === 'navigate') {
    if (!OTHERS.test(pathname)) event.respondWith(pageFor(request, pathname))
  } else if (pathname.startsWith('/assets/')) event.respondWith(asset(request))
  else if (request.destination === 'image' && PICTURES.test(pathname)) {
    event.respondWith(picture(request))
  } else if (FILES.includes(pathname)) event.respondWith(newest(request))
})

/** The page as the server has it; the kept one when the server cannot be reached. */
async function pageFor(request, pathname) {
  const cache = await caches.open(CACHE)
  try {
    const response = await fetch(request)
    if (GONE.includes(response.status)) return (await cache.match(PAGE, ANY)) ?? response
    if (pathname === PAGE && response.ok) await cache.put(PAGE, response.clone())
    return response
  } catch (error) {
    const kept = await cache.match(PAGE, ANY)
    if (kept) return kept
    throw error
  }
}

/** As the server has it; the kept one, in the small size, when the server cannot be reached or has too much to do. What is gone there is forgotten here. */
async function picture(request) {
  const kept = async () => {
    if (!(await caches.has('pictures'))) return undefined
    const cache = await caches.open('pictures')
    for (const key of keptAs(request)) {
      const found = await cache.match(key, ANY)
      if (found) return found
    }
    return undefined
  }
  try {
    const response = await fetch(request)
    if (response.status === 404 || response.status === 410) await forget(request)
    const isPassing = response.status === 429 || response.status >= 500
    return isPassing ? ((await kept()) ?? response) : response
  } catch (error) {
    const found = await kept()
    if (found) return found
    throw error
  }
}

async function forget(request) {
  if (!(await caches.has('pictures'))) return
  const cache = await caches.open('pictures')
  await Promise.all(keptAs(request).map((key) => cache.delete(key, ANY)))
}

/** What may be kept of a picture: itself, or a small one of it. */
function keptAs(request) {
  const small = new URL(request.url)
  if (small.pathname === '/picture') small.searchParams.set('width', '96')
  else small.pathname = small.pathname.replace(/(?<!-small)\.jpg$/, '-small.jpg')
  return small.href === request.url ? [request] : [request, small.href]
}

/** The name of an asset changes with its content. */
async function asset(request) {
  const cache = await caches.open(CACHE)
  const kept = await cache.match(request, ANY)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

async function newest(request) {
  try {
    return await fetch(request)
  } catch (error) {
    const kept = await (await caches.open(CACHE)).match(request, ANY)
    if (kept) return kept
    throw error
  }
}

addEventListener('push', (event) => {
  const { title, body, url, tag } = event.data?.json() ?? {}
  const options = { body, tag, icon: '/icon-192.png', badge: '/icon-192.png', data: { url } }
  event.waitUntil(registration.showNotification(title ?? 'Something is new', options))
})

addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data?.url ?? '/notifications'))
})

/** Shows a path of this site: in a page that is open, else in a new one. */
async function open(path) {
  const { href, origin } = new URL(path, location.origin)
  if (origin !== location.origin) return
  const pages = await clients.matchAll({ type: 'window' })
  const page = pages.find(({ url }) => url === href) ?? pages[0]
  if (!page) {
    await clients.openWindow(href)
    return
  }
  if (page.url !== href) page.postMessage({ open: path })
  await page.focus()
}
