import { type FormEvent, type ReactNode, useState } from 'react'
import { t } from '../../shared/messages.ts'
import { Notice } from '../../shared/page.tsx'
import { Refusal } from '../../shared/request.ts'
import { Field } from '../act/field.tsx'
import { type BrowserKey, findKey } from '../act/key-store.ts'
import { PictureField } from '../media/picture-field.tsx'

// The fields of a channel, for a new one and for one that is edited.

export type Values = {
  readonly name: string
  readonly description: string
  readonly rules: string
  readonly imageUrl: string
  readonly link: string
  readonly publicCasting: boolean
}

export const NOTHING: Values = {
  name: '',
  description: '',
  rules: '',
  imageUrl: '',
  link: '',
  publicCasting: true,
}

const MAX_NAME_CHARACTERS = 32
const MAX_DESCRIPTION_CHARACTERS = 1_000
const MAX_RULES_CHARACTERS = 1_000
const MAX_LINK_CHARACTERS = 512

/** As the client platform has them. `none` stands for a website or rules that the channel does not have. */
export const bodyOf = <T,>(
  { name, description, rules, imageUrl, link, publicCasting }: Values,
  none: T,
) => ({
  name: name.trim(),
  description: description.trim(),
  rules: rules.trim() || none,
  imageUrl,
  externalLink: link.trim() ? linkOf(link.trim()) : none,
  publicCasting,
})

const MAX_TITLE_CHARACTERS = 64

/** Links have a title there: the host. */
const linkOf = (url: string) => ({
  url,
  title: new URL(url).hostname.slice(0, MAX_TITLE_CHARACTERS),
})

type Props = {
  fid: number
  values: Values
  change: (values: Values) => void
  /** Fields above those of every channel. */
  children?: (refused: Refused) => ReactNode
  send: (key: BrowserKey) => Promise<void>
  isGood: boolean
  submitText: string
}

/** What the server says about a field. */
export type Refused = (field: string) => string | undefined

export function ChannelForm({ fid, values, change, children, send, isGood, submitText }: Props) {
  const [isBusy, setBusy] = useState(false)
  const [error, setError] = useState<Error>()
  const refused: Refused = (field) =>
    error instanceof Refusal && error.field === field ? error.message : undefined
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setError(undefined)
    try {
      const key = await findKey(fid)
      if (!key) throw new Error(t('Sign in again: this browser has no key of your account.'))
      await send(key)
    } catch (reason) {
      setError(reason as Error)
      setBusy(false)
    }
  }
  const set = (part: Partial<Values>) => change({ ...values, ...part })
  const isNamed = values.name.trim() !== ''
  const linkFault = isLink(values.link) ? undefined : t('It has to begin with https://')
  return (
    <form className="fields" onSubmit={submit} onChange={() => setError(undefined)}>
      <Line
        label={t('Name')}
        help={refused('name') ?? t('As people read it. You can change it later.')}
        isBad={refused('name') !== undefined}
        value={values.name}
        maxLength={MAX_NAME_CHARACTERS}
        onChange={(name) => set({ name })}
      />
      {children?.(refused)}
      <Lines
        label={t('What it is about (optional)')}
        refused={refused('description')}
        value={values.description}
        maxLength={MAX_DESCRIPTION_CHARACTERS}
        onChange={(description) => set({ description })}
      />
      <Lines
        label={t('Rules of the channel (optional)')}
        about={t('Shown on its page, and before somebody’s first {post} in it.')}
        refused={refused('rules')}
        value={values.rules}
        maxLength={MAX_RULES_CHARACTERS}
        onChange={(rules) => set({ rules })}
      />
      <div className="field">
        <span className="field-name">{t('Picture (optional)')}</span>
        <PictureField
          fid={fid}
          url={values.imageUrl}
          text={t('Choose a picture')}
          choose={(imageUrl) => set({ imageUrl })}
        />
        {values.imageUrl && (
          <button type="button" className="link" onClick={() => set({ imageUrl: '' })}>
            {t('Remove the picture')}
          </button>
        )}
      </div>
      <Line
        label={t('Website (optional)')}
        help={refused('externalLink.url') ?? linkFault ?? t('Shown below the name.')}
        isBad={(refused('externalLink.url') ?? linkFault) !== undefined}
        value={values.link}
        maxLength={MAX_LINK_CHARACTERS}
        onChange={(link) => set({ link })}
      />
      <label className="check">
        <input
          type="checkbox"
          checked={!values.publicCasting}
          onChange={({ target }) => set({ publicCasting: !target.checked })}
        />
        {t('Show {posts} of members only')}
      </label>
      {error && !isAtField(error, refused) && <Notice tone="bad">{error.message}</Notice>}
      <button
        type="submit"
        className="primary"
        disabled={isBusy || !isGood || !isNamed || linkFault !== undefined}
      >
        {isBusy ? t('Saving …') : submitText}
      </button>
    </form>
  )
}

const isLink = (text: string) =>
  text.trim() === '' || (/^https:\/\/[^\s]+$/.test(text.trim()) && URL.canParse(text.trim()))

const FIELDS = ['channelId', 'name', 'description', 'rules', 'externalLink.url']
const isAtField = (error: Error, refused: Refused) =>
  error instanceof Refusal && FIELDS.some((field) => refused(field) !== undefined)

type LinesProps = {
  label: string
  /** What it is for, before how much was written. */
  about?: string
  /** What the server says about it. */
  refused: string | undefined
  value: string
  maxLength: number
  onChange: (value: string) => void
}

const Lines = ({ label, about = '', refused, value, maxLength, onChange }: LinesProps) => (
  <Field
    label={label}
    help={
      refused ??
      [
        about,
        t('{maxLength, plural, one {{count} of # character} other {{count} of # characters}}', {
          count: [...value].length,
          maxLength,
        }),
      ]
        .filter(Boolean)
        .join(' ')
    }
    isBad={refused !== undefined}
  >
    {(id, helpId) => (
      <textarea
        id={id}
        rows={4}
        dir="auto"
        maxLength={maxLength}
        aria-describedby={helpId}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </Field>
)

type LineProps = {
  label: string
  help: string
  isBad: boolean
  value: string
  maxLength: number
  onChange: (value: string) => void
}

export const Line = ({ label, help, isBad, value, maxLength, onChange }: LineProps) => (
  <Field label={label} help={help} isBad={isBad}>
    {(id, helpId) => (
      <input
        id={id}
        value={value}
        maxLength={maxLength}
        autoComplete="off"
        aria-describedby={helpId}
        aria-invalid={isBad}
        onChange={({ target }) => onChange(target.value)}
      />
    )}
  </Field>
)
