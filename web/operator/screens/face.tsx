import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useEffect, useState } from 'react'
import { LANGUAGES } from '../../../src/kernel/base/languages/languages.ts'
import { languageName } from '../../shared/language-name.ts'
import { Markdown } from '../../shared/markdown.tsx'
import { t } from '../../shared/messages.ts'
import { Refusal } from '../../shared/request.ts'
import { ask, putFile } from '../api.ts'
import { PostWords } from '../parts/post-words.tsx'
import { Loaded, Section } from '../parts/section.tsx'
import {
  type Original,
  TextLanguage,
  type Translated,
  Translations,
} from '../parts/translations.tsx'

const FIELDS = {
  name: [t('Name'), 60, t('In titles, previews and the list of installed apps.')],
  description: [t('Description'), 300, t('What this server is for, in one line.')],
  picture: [t('Picture'), 512, t('https URL of a square picture, or a file that is uploaded.')],
  header: [
    t('Header picture'),
    512,
    t('https URL of a wide picture above the pages where people join, or a file that is uploaded.'),
  ],
  color: [t('Accent colour'), 7, t('It is made darker or lighter until it can be read.')],
  contact: [t('Contact'), 200, t('Whom people can ask: an address, a URL or words.')],
  rules: [
    t('Rules'),
    10_000,
    t(
      'Who joins agrees to them, and members are asked again before they write when you change them. Markdown.',
    ),
  ],
  announcement: [
    t('Announcement'),
    300,
    t('One line above Home for everybody, who can put it aside.'),
  ],
  announcementEnds: [t('Last day of the announcement'), 10, t('Empty: until you take it away.')],
  minimumAge: [
    t('Minimum age'),
    2,
    t('Years, such as 16. Who joins says to be as old; no date of birth is asked.'),
  ],
  privacy: [
    t('Privacy'),
    20_000,
    t('What this server keeps of people and for how long. Markdown.'),
  ],
} as const
type Field = keyof typeof FIELDS
/** What is chosen from a few. */
const CHOICES = {
  tone: [
    t('Background'),
    { '': t('Warm'), neutral: t('Neutral'), cool: t('Cool'), dark: t('Dark first') },
    t(
      'Light or dark is what each person chooses, or their device. “Dark first” is dark for who has not chosen.',
    ),
  ],
  corners: [
    t('Corners'),
    { '': t('Usual'), sharp: t('Sharp'), round: t('Round') },
    t('Of cards, fields, buttons and pictures.'),
  ],
  language: [
    t('Language of the server'),
    Object.fromEntries(LANGUAGES.map(({ code, name }) => [code === 'en' ? '' : code, name])),
    t('For who has not chosen one, where the browser asks for none that this server speaks.'),
  ],
} as const
type Choice = keyof typeof CHOICES
type Texts = Readonly<Record<Field | Choice | 'descriptions' | 'posts', string>>
type Reply = {
  readonly texts: Texts
  readonly settings: Texts
  readonly translations: readonly Translated[]
}

const LONG: readonly Field[] = ['rules', 'privacy']
/** The texts that can be translated. */
const TRANSLATED = ['name', 'description', 'rules', 'privacy', 'announcement'] as const

/** Without those that there are not: they have nothing to translate. */
const originalsOf = (texts: Texts): Original[] =>
  TRANSLATED.filter((field) => texts[field] !== '').map((field) => {
    const [label, max] = FIELDS[field]
    return { field, label, max, isLong: LONG.includes(field), text: texts[field] }
  })

/** What the server says about itself. */
export function FaceScreen() {
  const query = useQuery({ queryKey: ['texts'], queryFn: () => ask<Reply>('/server/texts') })
  const [chosen, setChosen] = useState<string>()
  /** Those that were chosen before, too: what was typed in one stays until it is saved. */
  const [opened, setOpened] = useState<readonly string[]>([])
  const choose = (code: string) => {
    setChosen(code)
    setOpened([...new Set([...opened, code])])
  }
  return (
    <Section
      heading={t('What this server says about itself')}
      note={t(
        'In force within a second, without a restart. The log of moderation says who changed it.',
      )}
    >
      <Loaded query={query}>
        {({ texts, translations }) => {
          const own = texts.language || 'en'
          const language = chosen ?? own
          const shared = { own, originals: originalsOf(texts), translations }
          const others = opened.filter((code) => code !== own)
          return (
            <>
              <TextLanguage {...shared} opened={others} value={language} onChange={choose} />
              <div hidden={language !== own}>
                <Uploads texts={texts} />
                <Form
                  key={texts.picture + texts.header}
                  texts={texts}
                  translations={translations}
                />
              </div>
              {others.map((code) => (
                <div
                  key={code}
                  hidden={code !== language}
                  className={code === language ? 'stacked' : undefined}
                >
                  <Translations {...shared} language={code} />
                </div>
              ))}
            </>
          )
        }}
      </Loaded>
    </Section>
  )
}

/** The files belong to the server, and to no account. */
const Uploads = ({ texts }: { texts: Texts }) => (
  <>
    <UploadPicture
      path="/server/picture"
      label={texts.picture === '' ? t('Upload a picture') : t('Upload another picture')}
      done={t('This is the picture of the server now.')}
    />
    <UploadPicture
      path="/server/header"
      label={
        texts.header === '' ? t('Upload a header picture') : t('Upload another header picture')
      }
      done={t('This is the header picture of the server now.')}
    />
  </>
)

/** A picture of the server, from a file. It is in force at once. */
function UploadPicture({ path, label, done }: { path: string; label: string; done: string }) {
  const queries = useQueryClient()
  const upload = useMutation({
    mutationFn: (file: File) => putFile(path, file),
    onSuccess: () => queries.invalidateQueries(),
  })
  return (
    <div className="stacked">
      <label className="field">
        <span>{label}</span>
        <input
          type="file"
          accept="image/jpeg,image/png,image/webp,image/gif"
          disabled={upload.isPending}
          onChange={({ target }) => {
            const file = target.files?.[0]
            if (file) upload.mutate(file)
            target.value = ''
          }}
        />
      </label>
      <p role="status" className={upload.error ? 'fault' : 'muted'}>
        {upload.isPending && t('Sending …')}
        {upload.error?.message}
        {upload.isSuccess && done}
      </p>
    </div>
  )
}

/** The type of the input, where it is not a line of text. */
const INPUTS: Partial<Readonly<Record<Field, object>>> = {
  picture: { type: 'url' },
  header: { type: 'url' },
  announcementEnds: { type: 'date' },
  minimumAge: { type: 'number', min: 1, max: 99 },
}

/** Of which text a refusal speaks, and what it says without naming the field. */
function refusedField(error: Error | null): readonly [field: string, text: string] | undefined {
  const name = error instanceof Refusal && /^texts\.(\w+)$/.exec(error.field ?? '')?.[1]
  if (!error || !name) return undefined
  const text = error.message.replace(new RegExp(`^(?:texts\\.)?${name} `), '')
  return [name, t('It {text}.', { text })]
}

/** Where a tab keeps what was typed and is not saved yet: another screen or a reload loses nothing. */
const DRAFT = 'rookery.room.face'
const keptDraft = (): Partial<Texts> => JSON.parse(sessionStorage.getItem(DRAFT) ?? '{}')

const withoutEqual = (texts: Partial<Texts>, others: Partial<Texts>): Partial<Texts> =>
  Object.fromEntries(
    Object.entries(texts).filter(([name, text]) => text !== others[name as keyof Texts]),
  )

function Form({ texts, translations }: Pick<Reply, 'texts' | 'translations'>) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState(keptDraft)
  useEffect(() => {
    if (Object.keys(typed).length === 0) sessionStorage.removeItem(DRAFT)
    else sessionStorage.setItem(DRAFT, JSON.stringify(typed))
  }, [typed])
  const given = { ...texts, ...typed }
  const changed = withoutEqual(typed, texts)
  const isChanged = Object.keys(changed).length > 0
  const save = useMutation({
    mutationFn: (sent: Partial<Texts>) =>
      ask('/server/texts', { method: 'PUT', body: { texts: sent } }),
    onSuccess: async (_, sent) => {
      await queries.invalidateQueries()
      // What was typed while it was sent stays.
      setTyped((now) => withoutEqual(now, sent))
    },
    onError: (error) => document.getElementById(refusedField(error)?.[0] ?? '')?.focus(),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    save.mutate(changed)
  }
  const [faulty, fault] = refusedField(save.error) ?? []
  const set = (name: keyof Texts, text: string) => {
    if (name === faulty) save.reset()
    setTyped(withoutEqual({ ...typed, [name]: text }, texts))
  }
  return (
    <form className="stacked" onSubmit={submit}>
      {(Object.keys(FIELDS) as Field[]).map((name) => {
        const [label, max, help] = FIELDS[name]
        const shared = {
          id: name,
          value: given[name],
          'aria-invalid': name === faulty,
          'aria-describedby': name === faulty ? `${name}-fault ${name}-help` : `${name}-help`,
          onChange: ({ target }: { target: { value: string } }) => set(name, target.value),
        }
        return (
          <div key={name}>
            <div className="field">
              <label htmlFor={name}>{label}</label>
              {LONG.includes(name) ? (
                <textarea {...shared} maxLength={max} rows={8} />
              ) : name === 'color' ? (
                <ColorInput shared={shared} clear={() => set(name, '')} />
              ) : (
                <input {...shared} maxLength={max} autoComplete="off" {...INPUTS[name]} />
              )}
            </div>
            {name === faulty && <Fault name={name} text={fault} />}
            <p className="muted" id={`${name}-help`}>
              {help}
            </p>
            {LONG.includes(name) && given[name] !== '' && (
              <details>
                <summary>{t('As it is shown')}</summary>
                <Markdown text={given[name]} />
              </details>
            )}
          </div>
        )
      })}
      {(Object.keys(CHOICES) as Choice[]).map((name) => {
        const [label, choices, help] = CHOICES[name]
        return (
          <div key={name}>
            <label className="field">
              <span>{label}</span>
              <select
                id={name}
                value={given[name]}
                aria-describedby={`${name}-help`}
                onChange={({ target }) => set(name, target.value)}
              >
                {Object.entries(choices).map(([value, text]) => (
                  <option key={value} value={value}>
                    {text}
                  </option>
                ))}
              </select>
            </label>
            {name === faulty && <Fault name={name} text={fault} />}
            <p className="muted" id={`${name}-help`}>
              {help}
            </p>
            {name === 'language' && given.language !== texts.language && (
              <HiddenBy language={given.language || 'en'} translations={translations} />
            )}
          </div>
        )
      })}
      <div>
        <PostWords value={given.posts} onChange={(posts) => set('posts', posts)} />
        {faulty === 'posts' && <Fault name="posts" text={fault} />}
      </div>
      <label className="choice">
        <input
          type="checkbox"
          checked={given.descriptions === 'required'}
          onChange={({ target }) => set('descriptions', target.checked ? 'required' : '')}
        />{' '}
        {t('Pictures and videos must be described for those who cannot see them')}
      </label>
      <div role="status">
        {save.error && !faulty && <p className="fault">{save.error.message}</p>}
        {faulty && <p className="fault">{t('Not saved: one text above is not right.')}</p>}
        {save.isSuccess && !isChanged && <p className="muted">{t('Saved.')}</p>}
      </div>
      {isChanged && <p className="muted">{t('Not saved yet: this tab keeps what you changed.')}</p>}
      <div className="buttons">
        <button type="submit" className="primary" disabled={save.isPending || !isChanged}>
          {save.isPending ? t('Working …') : t('Save')}
        </button>
        {isChanged && (
          <button type="button" className="secondary" onClick={() => setTyped({})}>
            {t('Discard the changes')}
          </button>
        )}
      </div>
    </form>
  )
}

/** What a change of the language of the server does to texts that are there. */
const HiddenBy = ({ language: code, translations }: HiddenByProps) => {
  if (!translations.some((one) => one.language === code)) return null
  return (
    <p className="fault" role="alert">
      {t(
        'The texts above then count as {language}, and the translations into {language} are not shown. Before you save, copy each translation into its field above.',
        { language: languageName(code) },
      )}
    </p>
  )
}
type HiddenByProps = { language: string; translations: readonly Translated[] }

const Fault = ({ name, text }: { name: string; text: string | undefined }) => (
  <p className="fault" id={`${name}-fault`}>
    {text}
  </p>
)

/** What a page has without a colour of its own: the first to be changed from. */
const USUAL_COLOR = '#0b5d57'

type ColorProps = {
  shared: {
    id: string
    value: string
    onChange: (event: { target: { value: string } }) => void
  }
  clear: () => void
}

/** An input for colours always has one: beside it stands whether it counts. */
function ColorInput({ shared, clear }: ColorProps) {
  const isChosen = shared.value !== ''
  return (
    <span className="color-choice">
      <input {...shared} type="color" value={isChosen ? shared.value : USUAL_COLOR} />
      {isChosen ? (
        <>
          <code>{shared.value}</code>
          <button type="button" className="quiet" onClick={clear}>
            {t('Use the usual one')}
          </button>
        </>
      ) : (
        <span className="muted">{t('The usual one')}</span>
      )}
    </span>
  )
}
