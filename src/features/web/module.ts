import type { RequestListener } from 'node:http'
import type { Renderer } from '../../kernel/base/pictures/renderer.ts'
import { type ReferenceSource, referenceRoutes } from '../../kernel/http/documents/reference.ts'
import { openFilesLimit } from '../../kernel/http/files/open-files.ts'
import type { Route } from '../../kernel/http/route.ts'
import type { HttpConfig } from '../../kernel/http/settings.ts'
import type { InterfaceName, Module, ModuleContext, ServedHere } from '../../kernel/module.ts'
import { Faces } from '../server-face/face.ts'
import { faceRoutes, operatorFaceRoutes } from '../server-face/face-routes.ts'
import { createAppReader } from './app-reader.ts'
import { feedRoutes } from './feeds/feed-routes.ts'
import { frameRoutes } from './frames/frame-routes.ts'
import { guideRoutes } from './guide-routes.ts'
import { createPictures } from './pictures/pictures.ts'
import { createPreviews, type Previews, type ReadCard } from './previews/previews.ts'
import { type OwnFiles, withOwnFiles } from './remote/own-files.ts'
import { createSiteFiles } from './remote/site-files.ts'
import { movedPageRoute, webRoutes } from './routes.ts'
import { faceOf, type WebConfig } from './settings.ts'
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

type WebPorts = {
  readonly renderer: Renderer
  readonly media: OwnFiles
  /** Whether the page of a domain may be shown in a frame. */
  readonly mayFrame: (domain: string) => Promise<boolean>
  readonly readCard: ReadCard
}

type WebModule = Module & {
  readonly previews: Previews
  /** Whom people can ask, as the operator states it; '' for nobody. */
  readonly contact: () => Promise<string>
  readonly operatorRoutes: readonly Route[]
}

/**
 * The front door: one origin for the web client at `/` and for every public interface below `/<name>`. An
 * interface answers there with the same instance as on its own port.
 */
export function createWebModule(
  { mode, logger, storage, clock }: ModuleContext,
  config: Config,
  { renderer, media, mayFrame, readCard }: WebPorts,
): WebModule {
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
  const faces = new Faces(storage, clock, faceOf(config), media)
  const rules = { allowLoopback: config.fetchLoopback }
  const files = withOwnFiles(createSiteFiles(rules), media)
  const pictures = createPictures(files, renderer)
  const previews = createPreviews(files, { ...rules, readCard })
  const ownPorts = new Set<string>()
  const frames = {
    ...rules,
    mayOpen: mayFrame,
    ownHosts: () => (publicUrl === undefined ? [] : [new URL(publicUrl).host]),
    ownPorts: () => [...ownPorts],
  }
  return {
    previews,
    contact: async () => (await faces.read()).contact,
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
        ...siteRoutes(pictures, previews),
        ...feedRoutes(readerFor, publicUrl),
        movedPageRoute(),
        ...faceRoutes(faces),
        ...frameRoutes(frames),
        ...webRoutes({ readerFor, publicUrl, mode, faces }),
      ],
      // Its pages look one level above their interface, which is this port where they are not at the front door.
      platform: [pictureRoute(pictures)],
    },
    operatorRoutes: operatorFaceRoutes(faces),
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
