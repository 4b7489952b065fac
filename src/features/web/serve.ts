import type { RequestListener } from 'node:http'
import { type ReferenceSource, referenceRoutes } from '../../kernel/http/documents/reference.ts'
import { openFilesLimit } from '../../kernel/http/files/open-files.ts'
import type { RequestInfo } from '../../kernel/http/route.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import type { InterfaceName, Module, ServedHere } from '../../kernel/module.ts'
import type { Server } from '../../kernel/server.ts'
import { MEDIA_OF_USERS } from '../media/port.ts'
import { MINI_APPS_OF_SERVER } from '../mini-apps/port.ts'
import { SERVER_FACE, sayToClient } from '../server-face/port.ts'
import { SNAPS } from '../snaps/port.ts'
import { createAppReader } from './app-reader.ts'
import { feedRoutes } from './feeds/feed-routes.ts'
import { frameRoutes } from './frames/frame-routes.ts'
import { guideRoutes } from './guide-routes.ts'
import { createPictures } from './pictures/pictures.ts'
import { PREVIEWS, SITES } from './port.ts'
import { createPreviews } from './previews/previews.ts'
import { protoRoutes } from './proto-routes.ts'
import { withOwnFiles } from './remote/own-files.ts'
import { CHARGED_BYTES_OF_FETCH, createSiteFiles } from './remote/site-files.ts'
import { movedPageRoute, webRoutes } from './routes.ts'
import type { WebConfig } from './settings.ts'
import { pictureRoute, siteRoutes } from './site-routes.ts'
import { startWarnings } from './warnings.ts'

/** In the list of the API reference. */
const TITLES: Readonly<Record<string, string>> = {
  '/hub': 'Hub',
  '/registry': 'Name registry',
  '/platform': 'Client platform',
  '/accounts': 'Accounts',
  '/app': 'App API',
}

/** A path of the hub that published verifiers of mini app events ask for at the root of an origin. */
const KEYS_PATH = '/v1/onChainSignersByFid'

/** Not served to the public. */
const NOT_MOUNTED: readonly InterfaceName[] = ['operations', 'web']

type Config = WebConfig &
  HttpConfig & {
    readonly fetchLoopback: boolean
  }

/**
 * The front door: one origin for the web client at `/` and for every public interface below `/<name>`. An
 * interface answers there with the same instance as on its own port.
 */
export function serve(server: Server<Config>): Module {
  const { config, mode, logger, renderer, find, of, offer } = server
  const mounts = new Map<string, RequestListener>()
  const sources = (): ReferenceSource[] =>
    [...mounts.keys()].filter(isPrefix).map((prefix) => ({
      title: TITLES[prefix] ?? prefix,
      slug: prefix.slice(1),
      url: `${prefix}/openapi.json`,
    }))
  let app: ServedHere | undefined
  const readerFor = createAppReader(() => app)
  const publicUrl = config.publicUrl?.replace(/\/$/, '')
  const faces = of(SERVER_FACE)
  const media = find(MEDIA_OF_USERS)
  const rules = { allowLoopback: config.fetchLoopback }
  const sites = createSiteFiles(rules)
  const files = media ? withOwnFiles(sites, media) : sites
  const pictures = createPictures(files, renderer)
  const previews = createPreviews(files, {
    ...rules,
    readCard: (content, page) => find(MINI_APPS_OF_SERVER)?.readCard(content, page),
    snaps: {
      blockedHosts: async (hosts) => (await find(SNAPS)?.blockedHosts(hosts)) ?? new Set(hosts),
      isOwn: (url) => find(SNAPS)?.isOwn(url) ?? false,
      ownPages: async (urls, say) => (await find(SNAPS)?.ownPages(urls, say)) ?? new Map(),
    },
  })
  offer(PREVIEWS, previews)
  offer(SITES, { runLimited: files.runLimited, connectionBytes: CHARGED_BYTES_OF_FETCH })
  const sayTo = async (request: RequestInfo) => sayToClient(request, undefined, await faces.read())
  const ownPorts = new Set<string>()
  const frames = {
    ...rules,
    mayOpen: async (domain: string) =>
      (await find(MINI_APPS_OF_SERVER)?.catalogue.mayFrame(domain)) ?? false,
    ownHosts: () => (publicUrl === undefined ? [] : [new URL(publicUrl).host]),
    ownPorts: () => [...ownPorts],
  }
  return {
    name: 'web',
    serves: {
      name: 'web',
      title: 'Rookery',
      description: 'The web client, and every public interface below its prefix.',
      errors: 'plain',
      host: config.host,
      port: config.webPort,
      mounts,
      isUndocumented: true,
    },
    routes: {
      web: [
        ...referenceRoutes({ title: 'Rookery', sources }),
        ...guideRoutes(),
        ...protoRoutes(),
        ...siteRoutes(pictures, previews, sayTo),
        ...feedRoutes(readerFor, publicUrl, faces),
        movedPageRoute(),
        ...frameRoutes(frames),
        ...webRoutes({ readerFor, publicUrl, mode, faces }),
      ],
      // Its pages look one level above their interface, which is this port where they are not at the front door.
      platform: [pictureRoute(pictures)],
    },
    async start() {
      for (const text of startWarnings(mode, config, openFilesLimit())) logger.warn(text)
    },
    listening: (name, url, served) => {
      ownPorts.add(new URL(url).port)
      if (name === 'app') app = served
      if (!NOT_MOUNTED.includes(name)) mounts.set(`/${name}`, served.handle)
      if (name === 'hub') mounts.set(KEYS_PATH, served.handle)
    },
  }
}

const isPrefix = (mounted: string) => mounted !== KEYS_PATH
