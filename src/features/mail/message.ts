import { escapeMarkup } from '../../kernel/http/markup.ts'
import { domainOf } from '../../kernel/protocol/mail-address.ts'
import type { Mail } from './smtp.ts'

// How mails look: a text, and the same as simple HTML without pictures, so that nothing tells when a mail is read.

/** What a mail says. */
export type MailContent = {
  readonly subject: string
  readonly paragraphs: readonly string[]
  /** A link with its own words, below the paragraphs. */
  readonly button?: { readonly label: string; readonly url: string } | undefined
}

export type MailFrame = {
  readonly serverName: string
  readonly publicUrl: string
  readonly from: string
  readonly to: string
  readonly id: string
  /** Unix milliseconds. */
  readonly now: number
  /** Why somebody gets the mail. */
  readonly why: string
}

const MAX_SUBJECT_CHARACTERS = 150
/** Characters that change the direction of what follows, those without a shape, and ends of lines. */
const UNSAFE = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029\s]+/gu
const oneLine = (text: string, max: number): string =>
  [...text.toWellFormed().replace(UNSAFE, ' ').trim()].slice(0, max).join('')
const MAX_PARAGRAPH_CHARACTERS = 2_000

export function mailOf({ subject, paragraphs, button }: MailContent, frame: MailFrame): Mail {
  const { serverName, publicUrl, from, to, id, now, why } = frame
  const lines = paragraphs.map((one) => oneLine(one, MAX_PARAGRAPH_CHARACTERS))
  const end = `${serverName}, ${publicUrl}. ${why}`
  return {
    from: { name: oneLine(serverName, MAX_SUBJECT_CHARACTERS), address: from },
    to,
    subject: oneLine(subject, MAX_SUBJECT_CHARACTERS),
    messageId: `<${id}@${domainOf(from)}>`,
    date: new Date(now),
    text: [...lines, ...(button ? [`${button.label}:\n${button.url}`] : []), `-- \n${end}`].join(
      '\n\n',
    ),
    html: htmlOf({ lines, button, end }),
    headers: {
      // Neither absence notes nor other robots answer.
      'Auto-Submitted': 'auto-generated',
      'X-Auto-Response-Suppress': 'All',
    },
  }
}

type Page = {
  readonly lines: readonly string[]
  readonly button: MailContent['button']
  readonly end: string
}

const FONT = 'font-family: system-ui, sans-serif; font-size: 16px; line-height: 1.5'
const BUTTON =
  'display: inline-block; padding: 10px 18px; border-radius: 8px; background: #0b5d57; color: #ffffff; text-decoration: none'

const htmlOf = ({ lines, button, end }: Page): string =>
  [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>',
    `<body style="${FONT}; max-width: 600px; margin: 0 auto; padding: 16px">`,
    ...lines.map((one) => `<p>${escapeMarkup(one)}</p>`),
    ...(button
      ? [
          `<p><a href="${escapeMarkup(button.url)}" style="${BUTTON}">${escapeMarkup(button.label)}</a></p>`,
          `<p style="font-size: 13px; overflow-wrap: anywhere">${escapeMarkup(button.url)}</p>`,
        ]
      : []),
    `<p style="font-size: 13px; opacity: 0.7">${escapeMarkup(end)}</p>`,
    '</body></html>',
  ].join('\n')
