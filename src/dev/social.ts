import type { Services } from '../app.ts'
import { installAction } from '../features/actions/installs.ts'
import { ACTIONS as ACTIONS_OF_SERVER } from '../features/actions/port.ts'
import type { ActionDocument, ActionKind } from '../features/actions/tables/actions.ts'
import { block } from '../features/blocks/blocks.ts'
import { grantCredits } from '../features/key-requests/credits.ts'
import { keyRequestRows } from '../features/key-requests/tables/key-requests.ts'

// Actions, installs, one block and a sponsor, made by the calls of users and operator, except that no documents
// are fetched from other servers.

type DevAction = {
  readonly kind: ActionKind
  readonly name: string
  readonly icon: string
  readonly description: string
  /** The users who have installed it. */
  readonly fids: readonly number[]
}

/** The actions of the development network; the keys are the last part of their URLs. */
const ACTIONS: Readonly<Record<string, DevAction>> = {
  upvote: {
    kind: 'cast',
    name: 'Upvote',
    icon: 'thumbsup',
    description: 'Counts who thinks well of a cast.',
    fids: [1, 2, 3, 4, 5],
  },
  translate: {
    kind: 'cast',
    name: 'Translate',
    icon: 'globe',
    description: 'Says a cast in another language.',
    fids: [4, 7],
  },
  'read-later': {
    kind: 'cast',
    name: 'Read later',
    icon: 'bookmark',
    description: 'Keeps a cast for a quiet hour.',
    fids: [2],
  },
  poll: {
    kind: 'composer',
    name: 'Poll',
    icon: 'tasklist',
    description: 'Asks everybody a question.',
    fids: [1, 5],
  },
  gif: {
    kind: 'composer',
    name: 'Moving pictures',
    icon: 'image',
    description: 'Finds one that says it better.',
    fids: [5, 6, 9],
  },
}
const FEATURED = ['poll', 'gif']
/** Two who disagree about sticks. */
const BLOCK = { blocker: 9, blocked: 5 }

/** A sponsor with credits for other users' keys. */
const SPONSOR = { fid: 1, amount: 1_000, reason: 'for trying it out' }

const HOST = 'https://actions.example'
const urlOf = (path: string) => `${HOST}/${path}`

export async function seedSocial({ of, platform: context }: Services): Promise<void> {
  const { catalogue } = of(ACTIONS_OF_SERVER)
  for (const [path, action] of Object.entries(ACTIONS)) {
    await catalogue.put(urlOf(path), { kind: action.kind, document: documentOf(path, action) })
    for (const fid of action.fids) await installAction(context, fid, urlOf(path))
  }
  await catalogue.feature(FEATURED.map(urlOf))
  await block(context, BLOCK.blocker, BLOCK.blocked)
  if (!(await context.storage.of(keyRequestRows).credit(SPONSOR.fid)))
    await grantCredits(context, SPONSOR)
}

const documentOf = (
  path: string,
  { kind, name, icon, description }: DevAction,
): ActionDocument => ({
  name,
  icon,
  description,
  about_url: urlOf(`${path}/about`),
  image_url: kind === 'composer' ? urlOf(`${path}/logo.png`) : null,
  post_url: urlOf(path),
})
