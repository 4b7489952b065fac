import type { AppContext, Viewer } from '../../../kernel/app-api/context.ts'
import { hydrate } from '../../../kernel/app-api/objects/hydrate.ts'
import type { StoredMiniApp } from '../tables/mini-apps.ts'
import type { FrameApp } from './schemas.ts'

// Mini apps as the app API shows them. Its clients know them by their former name, frames.

export const MINI_APP_TAGS = [
  { name: 'Mini apps', description: 'The catalogue of mini apps, and their notifications.' },
]

/** Apps in their order, with their authors. */
export async function framesOf(
  context: AppContext,
  viewer: Viewer,
  apps: readonly StoredMiniApp[],
): Promise<FrameApp[]> {
  const authors = [...new Set(apps.map(({ author_fid }) => author_fid))].filter((fid) => fid !== 0)
  const found = await hydrate(context, viewer, { users: authors })
  return apps.map((app) => frameOf(app, found.user(app.author_fid)))
}

const UNSIGNED = { header: '', payload: '', signature: '' }

function frameOf(app: StoredMiniApp, author: FrameApp['author'] | undefined): FrameApp {
  const manifest = JSON.parse(app.manifest) as Record<string, string>
  const miniapp = snakeCased(manifest) as FrameApp['manifest']['miniapp']
  const association = app.association === null ? UNSIGNED : JSON.parse(app.association)
  return {
    version: manifest.version!,
    image: manifest.ogImageUrl ?? manifest.heroImageUrl ?? manifest.iconUrl!,
    frames_url: manifest.homeUrl!,
    title: app.name,
    manifest: { account_association: association, miniapp, frame: miniapp },
    ...(author && { author }),
    metadata: { html: { ...(manifest.ogTitle && { ogTitle: manifest.ogTitle }) } },
  }
}

/** Published clients of the app API do not know these fields. */
const UNKNOWN = ['requiredChains', 'requiredCapabilities', 'castShareUrl', 'canonicalDomain']

const snakeCased = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(fields)
      .filter(([name]) => !UNKNOWN.includes(name))
      .map(([name, value]) => [
        name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      ]),
  )
