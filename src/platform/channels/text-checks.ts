import type { Accounts } from '../../accounts/port.ts'
import { utf8Length } from '../../protocol/bytes.ts'
import { Rejection } from '../../protocol/rejection.ts'
import { unknownFid } from '../unknown.ts'
import { MAX_URL_BYTES } from './limits.ts'

// What a schema cannot say of a channel's texts.

// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what must not be stored
const CONTROL = /[\u0000-\u001f\u007f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: a text of several lines has some
const CONTROL_BUT_LINES = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

type Texts = {
  readonly name?: string | undefined
  readonly description?: string | undefined
  readonly imageUrl?: string | undefined
  readonly headerImageUrl?: string | null | undefined
  readonly externalLink?: { readonly title: string; readonly url: string } | null | undefined
}

/** Texts are of characters that show, links lead to web pages. */
export function checkTexts(texts: Texts, prefix = ''): void {
  const { name, description, imageUrl, headerImageUrl, externalLink } = texts
  checkText(name, `${prefix}name`, CONTROL)
  checkText(description, `${prefix}description`, CONTROL_BUT_LINES)
  if (imageUrl) checkLink(imageUrl, `${prefix}imageUrl`)
  if (headerImageUrl != null) checkLink(headerImageUrl, `${prefix}headerImageUrl`)
  if (!externalLink) return
  checkText(externalLink.title, `${prefix}externalLink.title`, CONTROL)
  checkLink(externalLink.url, `${prefix}externalLink.url`)
}

/** Casts name it byte for byte, so it may be any text that a cast can carry. */
export function checkUrl(url: string, field = 'url'): void {
  checkText(url, field, CONTROL)
  if (utf8Length(url) > MAX_URL_BYTES) {
    throw invalid(field, `must be at most ${MAX_URL_BYTES} bytes`)
  }
}

function checkText(text: string | undefined, field: string, control: RegExp): void {
  if (text === undefined) return
  if (!text.isWellFormed() || control.test(text)) {
    throw invalid(field, 'must not contain control characters')
  }
}

function checkLink(text: string, field: string): void {
  checkText(text, field, CONTROL)
  const { protocol } = URL.canParse(text) ? new URL(text) : { protocol: '' }
  if (protocol !== 'https:' && protocol !== 'http:') {
    throw invalid(field, 'must be a URL like https://example.org/image.png')
  }
}

/** A fid that calls name must be somebody's. */
export async function checkFid(
  accounts: Pick<Accounts, 'custodyOf'>,
  fid: number,
  field: string,
): Promise<void> {
  if (await accounts.custodyOf(fid)) return
  throw unknownFid(fid, field)
}

const invalid = (field: string, text: string): Rejection =>
  new Rejection('bad_request.validation_failure', `${field} ${text}`, { field })
