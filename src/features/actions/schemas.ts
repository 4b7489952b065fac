import Type, { type TSchema } from 'typebox'
import { MAX_URL_CHARACTERS } from '../../kernel/http/outgoing.ts'
import { UnixSeconds } from '../../kernel/platform/schemas.ts'
import type { StoredAction } from './tables/actions.ts'
import { ACTION_JSON, OPERATOR_ACTION_JSON } from './tables/published-json.ts'

export const ActionUrl = Type.String({
  minLength: 1,
  maxLength: MAX_URL_CHARACTERS,
  description: "Where the action's document is; what the action is known by.",
})

/** All actions are of one type: clients post a signed message to `postUrl`. */
const postAction = {
  action: Type.Object({
    actionType: Type.Literal('post'),
    postUrl: Type.String({ description: 'Where clients post signed messages.' }),
  }),
}
const actionProperties: Record<string, TSchema> = { ...ACTION_JSON.properties, ...postAction }
const { imageUrl: _, ...castActionProperties } = actionProperties

const actionSchema = (properties: Record<string, TSchema>, $id: string) =>
  Type.Unsafe<ReturnType<typeof actionJson>>(Type.Object(properties, { $id }))

export const Action = actionSchema(castActionProperties, 'Action')
export const ComposerAction = actionSchema(
  { ...actionProperties, imageUrl: Type.String({ description: 'A logo.' }) },
  'ComposerAction',
)
export const InstalledAction = Type.Unsafe<ReturnType<typeof actionJson> & { installedAt: number }>(
  Type.Object({ ...actionProperties, installedAt: UnixSeconds }),
)
export const ListedAction = Type.Unsafe<ReturnType<typeof listedJson>>(
  Type.Object({ ...OPERATOR_ACTION_JSON.properties, ...postAction }),
)

const posting = (row: StoredAction) => ({
  action: { actionType: 'post' as const, postUrl: row.post_url },
})

/** An action as lists have it; only composer actions have an `imageUrl`. */
export const actionJson = (row: StoredAction) => ({ ...ACTION_JSON.of(row), ...posting(row) })

/** The same with what only the operator sees. */
export const listedJson = (row: StoredAction) => ({
  ...OPERATOR_ACTION_JSON.of(row),
  ...posting(row),
})
