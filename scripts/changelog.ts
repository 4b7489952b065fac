// What CHANGELOG.md says about a version.

export type Section = {
  readonly version: string
  /** The day of its release; undefined before. */
  readonly date: string | undefined
  /** The newest migration of the version; undefined before its release, when migrations are still added. */
  readonly schema: number | undefined
  /** What follows its heading. */
  readonly text: string
}

const HEADING = /^## (\d+\.\d+\.\d+) \((unreleased|\d{4}-\d\d-\d\d)\)$/m

/** The versions of the changelog, the newest first. Throws an Error for a released version without its schema. */
export function sectionsOf(changelog: string): Section[] {
  const parts = changelog.split(/^(?=## )/m).filter((part) => part.startsWith('## '))
  return parts.map((part) => {
    const [heading, version, date] = HEADING.exec(part) ?? []
    const schema = /^Schema (\d+)\.$/m.exec(part)?.[1]
    if (!heading || !version || (date !== 'unreleased' && !schema)) {
      throw new Error(
        `a section of CHANGELOG.md has no version, day and schema: ${part.slice(0, 60)}`,
      )
    }
    return {
      version,
      date: date === 'unreleased' ? undefined : date,
      schema: schema ? Number(schema) : undefined,
      text: part.slice(heading.length).trim(),
    }
  })
}

type Migration = { readonly id: number; readonly what: string }

/** The notes of the newest version: its section, and the migrations that the version before did not have. */
export function notesOf(
  [newest, before]: readonly Section[],
  migrations: readonly Migration[],
): string {
  const added = migrations.filter(({ id }) => id > (before?.schema ?? 0))
  const list = added.map(({ id, what }) => `- ${id}: ${what}`).join('\n')
  return `# Rookery ${newest!.version}\n\n${newest!.text}\n\n## Migrations\n\n${list || 'None.'}\n`
}
