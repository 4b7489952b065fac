import { MAX_URL_CHARACTERS } from '../../kernel/http/outgoing.ts'
import { visibleText } from '../../kernel/platform/visible-text.ts'
import { Rejection } from '../../kernel/protocol/rejection.ts'
import type { ActionDocument, ActionKind } from './tables/actions.ts'

// Validates the document at an action's URL. It is third-party text that every user sees, so it is limited in size
// and cleaned before it is stored.

/** The limits of the deployed documents, where clients truncate. */
export const MAX_NAME_CHARACTERS = 30
const MAX_DESCRIPTION_CHARACTERS = 80
/** The longest known icon id has 19 characters. */
const MAX_ICON_CHARACTERS = 40

export type ReadDocument = { readonly kind: ActionKind; readonly document: ActionDocument }

/** Reads a document that was fetched from `url`. Throws a Rejection that names the faulty property. */
export function readDocument(json: unknown, url: string): ReadDocument {
  const root = objectIn(json, 'the document')
  const action = objectIn(root.action, 'action')
  if (action.type !== 'post') throw faulty('action.type', 'must be "post"')
  const kind = kindOf(root.type)
  return {
    kind,
    document: {
      name: required(textIn(root.name, 'name', MAX_NAME_CHARACTERS), 'name'),
      icon: iconIn(root.icon),
      description: textIn(root.description, 'description', MAX_DESCRIPTION_CHARACTERS),
      about_url: urlIn(root.aboutUrl, 'aboutUrl'),
      image_url:
        kind === 'composer' ? required(urlIn(root.imageUrl, 'imageUrl'), 'imageUrl') : null,
      // The default is the URL of the document.
      post_url: urlIn(action.postUrl, 'action.postUrl') ?? url,
    },
  }
}

function kindOf(type: unknown): ActionKind {
  if (type === undefined || type === 'cast' || type === 'action') return 'cast'
  if (type === 'composer') return 'composer'
  throw faulty('type', 'must be "composer" or left out')
}

function objectIn(value: unknown, field: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw faulty(field, 'must be an object')
}

function textIn(value: unknown, field: string, maxCharacters: number): string {
  if (typeof value !== 'string') throw faulty(field, 'must be a text')
  const text = visibleText(value)
  if ([...text].length <= maxCharacters) return text
  throw faulty(field, `must be at most ${maxCharacters} characters`)
}

/** Only the form is checked: clients decide which icons exist. */
function iconIn(value: unknown): string {
  const icon = textIn(value, 'icon', MAX_ICON_CHARACTERS)
  if (/^[a-z0-9][a-z0-9-]*$/.test(icon)) return icon
  throw faulty('icon', 'must be the id of an icon, like light-bulb')
}

function urlIn(value: unknown, field: string): string | null {
  if (value === undefined || value === null || value === '') return null
  if (typeof value === 'string' && value.length <= MAX_URL_CHARACTERS && URL.canParse(value)) {
    const { protocol, username, password, href } = new URL(value)
    if (/^https?:$/.test(protocol) && username === '' && password === '') return href
  }
  throw faulty(field, `must be an http or https URL of at most ${MAX_URL_CHARACTERS} characters`)
}

function required<T>(value: T | null, field: string): T {
  if (value !== null && value !== '') return value
  throw faulty(field, 'is missing')
}

const faulty = (field: string, what: string) =>
  new Rejection('bad_request.validation_failure', `${field} of the action's document ${what}`, {
    field: 'actionUrl',
  })
