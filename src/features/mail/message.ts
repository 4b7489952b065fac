import type { Language } from '../../kernel/base/languages/languages.ts'
import { escapeMarkup } from '../../kernel/http/markup.ts'
import type { Said, Say } from '../../kernel/http/translator.ts'
import { domainOf } from '../../kernel/protocol/mail-address.ts'
import type { Mail } from './smtp.ts'

// How mails look: a text, and the same as simple HTML without pictures, so that nothing tells when a mail is read.

/** What a mail says, in the language of who gets it. */
export type MailContent = {
  readonly subject: Said
  readonly paragraphs: readonly Said[]
  /** Keys of posts, which are read when the mail is sent: nothing of what others wrote waits with it. */
  readonly posts?: readonly string[] | undefined
  /** A link with its own words, below the paragraphs and items. */
  readonly button?: MailLinkTo | undefined
  /** A smaller link below it, for who has not asked for the mail. */
  readonly aside?: MailLinkTo | undefined
}
export type MailLinkTo = { readonly label: Said; readonly url: string }
/** What others wrote, with a link to it. */
export type MailItem = { readonly label: string; readonly text: string; readonly url: string }

export type MailFrame = {
  readonly say: Say
  readonly items?: readonly MailItem[] | undefined
  readonly serverName: string
  readonly publicUrl: string
  readonly from: string
  readonly to: string
  readonly id: string
  /** Unix milliseconds. */
  readonly now: number
  /** Why somebody gets the mail. */
  readonly why: Said
  /** How one click ends mails of this kind: where programs post to (RFC 8058), and what people open. */
  readonly unsubscribe?: { readonly post: string; readonly page: string } | undefined
}

const MAX_SUBJECT_CHARACTERS = 150
/** Characters that change the direction of what follows, those without a shape, and ends of lines; not the two with which messages keep a value apart. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066\u2067\u2028\u2029\s]+/gu
const oneLine = (text: string, max: number): string =>
  [...text.toWellFormed().replace(UNSAFE, ' ').trim()].slice(0, max).join('')
const MAX_PARAGRAPH_CHARACTERS = 2_000

export function mailOf(content: MailContent, frame: MailFrame): Mail {
  const { subject, paragraphs, button } = content
  const { say, serverName, publicUrl, from, to, id, now, why, unsubscribe } = frame
  const items = frame.items?.map(oneLineItem) ?? []
  const aside = unsubscribe
    ? { label: say('Send me no more of these'), url: unsubscribe.page }
    : content.aside
  const lines = paragraphs.map((one) => oneLine(one, MAX_PARAGRAPH_CHARACTERS))
  const end = `${serverName}, ${publicUrl}. ${why}`
  return {
    from: { name: oneLine(serverName, MAX_SUBJECT_CHARACTERS), address: from },
    to,
    subject: oneLine(subject, MAX_SUBJECT_CHARACTERS),
    messageId: `<${id}@${domainOf(from)}>`,
    date: new Date(now),
    text: [
      ...lines,
      ...items.map(itemText),
      ...[button, aside].flatMap(linkText),
      `-- \n${end}`,
    ].join('\n\n'),
    html: htmlOf({ language: say.language, lines, items, button, aside, end }),
    headers: {
      // Neither absence notes nor other robots answer.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
      ...(unsubscribe && {
        'List-Unsubscribe': `<${unsubscribe.post}>`,
        'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      }),
    },
  }
}

const oneLineItem = ({ label, url, text }: MailItem): MailItem => ({
  label: oneLine(label, MAX_SUBJECT_CHARACTERS),
  url,
  text: oneLine(text, MAX_PARAGRAPH_CHARACTERS),
})
const itemText = ({ label, text, url }: MailItem): string => `${label}: ${text}\n${url}`

const linkText = (link: MailLinkTo | undefined): string[] =>
  link ? [`${link.label}:\n${link.url}`] : []

type Page = Pick<MailContent, 'button' | 'aside'> & {
  readonly language: Language
  readonly items: readonly MailItem[]
  readonly lines: readonly string[]
  readonly end: string
}

const FONT = 'font-family: system-ui, sans-serif; font-size: 16px; line-height: 1.5'
const BUTTON =
  'display: inline-block; padding: 10px 18px; border-radius: 8px; background: #0b5d57; color: #ffffff; text-decoration: none'

const htmlOf = ({ language, lines, items, button, aside, end }: Page): string =>
  [
    `<!doctype html><html lang="${language.code}" dir="${language.dir}"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>`,
    // Readers of mails in a browser show the body in a page of their own.
    `<body dir="${language.dir}" style="${FONT}; max-width: 600px; margin: 0 auto; padding: 16px; overflow-wrap: anywhere">`,
    ...lines.map((one) => `<p>${escapeMarkup(one)}</p>`),
    ...items.map(
      ({ label, text, url }) =>
        `<p><a href="${escapeMarkup(url)}"><bdi>${escapeMarkup(label)}</bdi></a></p><p dir="auto">${escapeMarkup(text)}</p>`,
    ),
    ...(button
      ? [
          `<p><a href="${escapeMarkup(button.url)}" style="${BUTTON}">${escapeMarkup(button.label)}</a></p>`,
          `<p dir="ltr" style="font-size: 13px">${escapeMarkup(button.url)}</p>`,
        ]
      : []),
    ...(aside
      ? [`<p><a href="${escapeMarkup(aside.url)}">${escapeMarkup(aside.label)}</a></p>`]
      : []),
    `<p style="font-size: 13px; opacity: 0.7">${escapeMarkup(end)}</p>`,
    '</body></html>',
  ].join('\n')
