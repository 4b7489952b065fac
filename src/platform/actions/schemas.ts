import Type from 'typebox'
import type { StoredAction } from '../../storage/actions.ts'
import { UnixSeconds } from '../schemas.ts'
import { MAX_URL_CHARACTERS } from './fetch-json.ts'

export const ActionUrl = Type.String({
  minLength: 1,
  maxLength: MAX_URL_CHARACTERS,
  description: "Where the action's document is; what the action is known by.",
})

const ACTION = {
  name: Type.String(),
  icon: Type.String({ description: 'The id of an icon of the Octicons.' }),
  description: Type.String(),
  aboutUrl: Type.Optional(Type.String()),
  actionUrl: ActionUrl,
  action: Type.Object({
    actionType: Type.Literal('post'),
    postUrl: Type.String({ description: 'Where clients post signed messages.' }),
  }),
}
const IMAGE_URL = { imageUrl: Type.String({ description: 'A logo.' }) }

export const Action = Type.Object(ACTION, { $id: 'Action' })
export const ComposerAction = Type.Object({ ...ACTION, ...IMAGE_URL }, { $id: 'ComposerAction' })
export const InstalledAction = Type.Object({
  ...ACTION,
  imageUrl: Type.Optional(IMAGE_URL.imageUrl),
  installedAt: UnixSeconds,
})
export const ListedAction = Type.Object({
  ...ACTION,
  imageUrl: Type.Optional(IMAGE_URL.imageUrl),
  kind: Type.Union([Type.Literal('cast'), Type.Literal('composer')]),
  addedCount: Type.Integer({ description: 'How many users have it.' }),
  lookedAt: { ...UnixSeconds, description: 'When its document was last asked for.' },
  fault: Type.Optional(Type.String({ description: 'What was wrong with the document then.' })),
})

/** An action as lists have it; `image_url` is there for composer actions alone. */
export const actionJson = (row: StoredAction) => ({
  name: row.name,
  icon: row.icon,
  description: row.description,
  ...(row.about_url !== null && { aboutUrl: row.about_url }),
  actionUrl: row.url,
  action: { actionType: 'post' as const, postUrl: row.post_url },
  ...imageOf(row),
})

/** The type says that it is there: documents of composer actions are not taken without one. */
const imageOf = ({ image_url }: StoredAction) =>
  (image_url === null ? {} : { imageUrl: image_url }) as { imageUrl: string }

/** What the operator sees besides. */
export const listedJson = (row: StoredAction) => ({
  ...actionJson(row),
  kind: row.kind,
  addedCount: row.installs,
  lookedAt: row.looked_at,
  ...(row.fault !== null && { fault: row.fault }),
})
