// Snaps with the shapes of the fifteen public examples of farcasterxyz/snap (615c9c4), in words of our own: the same elements with
// the same kinds of properties, also those that break the published schema. Each has the way by which a reader sees all its pages.

import type { Page, Pressed, SnapServer } from './snap-server.ts'

/** An element with those below it; ids are given when it becomes a page. */
export type Node = {
  readonly type: string
  readonly props?: Readonly<Record<string, unknown>>
  readonly press?: { readonly action: string; readonly params?: object }
  readonly below?: readonly Node[]
}
type Props = Readonly<Record<string, unknown>>

/** What a reader does, and the page that is shown then. */
export type Step = {
  /** Options, fields and cells before that: what is chosen, or what is written where. */
  readonly choose?: readonly string[]
  readonly write?: readonly (readonly [string, string])[]
  readonly press: string
  /** The page that is shown then; the same one unless given. */
  readonly page?: string
  /** What the card says in place of another page. */
  readonly said?: RegExp
}

export type Example = {
  readonly name: string
  readonly pages: Readonly<Record<string, ExamplePage>>
  /** From the page `home`. */
  readonly steps: readonly Step[]
}
export type ExamplePage = { readonly root: Node; readonly more?: Props; readonly isRefused?: true }

/** The page as JSON. */
export function flat({ root, more = {} }: ExamplePage): Page {
  const elements: Record<string, object> = {}
  const add = ({ type, props = {}, press, below }: Node): string => {
    const id = `e${Object.keys(elements).length}`
    elements[id] = {}
    const children = below?.map(add)
    elements[id] = { type, props, ...(children && { children }), ...(press && { on: { press } }) }
    return id
  }
  const id = add(root)
  return { version: '2.0', ui: { root: id, elements }, ...more }
}

const stack = (below: readonly Node[], props: Props = {}): Node => ({ type: 'stack', props, below })
const row = (below: readonly Node[], props: Props = {}) =>
  stack(below, { direction: 'horizontal', ...props })
const text = (content: string, props: Props = {}): Node => ({
  type: 'text',
  props: { content, ...props },
})
const bold = (content: string) => text(content, { weight: 'bold' })
const small = (content: string, props: Props = {}) => text(content, { size: 'sm', ...props })
const badge = (label: string, props: Props = {}): Node => ({
  type: 'badge',
  props: { label, ...props },
})
const item = (title: string, description?: string, below?: readonly Node[], props: Props = {}) => ({
  type: 'item',
  props: { title, ...(description && { description }), ...props },
  ...(below && { below }),
})
/** An item without a title, which many published servers send. */
const line = (description: string): Node => ({ type: 'item', props: { description } })
const group = (below: readonly Node[], props: Props = { separator: true }): Node => ({
  type: 'item_group',
  props,
  below,
})
const separator: Node = { type: 'separator', props: {} }
const progress = (label: string, value: number, max = 100): Node => ({
  type: 'progress',
  props: { label, value, max },
})
const options = (name: string, texts: readonly unknown[], props: Props = {}): Node => ({
  type: 'toggle_group',
  props: { name, options: texts, ...props },
})
const pair = (value: string, label: string) => ({ value, label })
const button = (label: string, action: string, params: object = {}, props: Props = {}): Node => ({
  type: 'button',
  props: { label, ...props },
  press: { action, params },
})
const icon = (name: string, props: Props = {}): Node => ({
  type: 'icon',
  props: { name, ...props },
})
const cells = (count: number, cols: number, more: (at: number) => object) =>
  Array.from({ length: count }, (_, at) => ({
    row: Math.floor(at / cols),
    col: at % cols,
    ...more(at),
  }))
const accent = (name: string, more: Props = {}) => ({ theme: { accent: name }, ...more })
const LETTERS = 'ABCDEFGHIJ'

/** All examples at the address of a server, which answers them from then on. */
export function serveExamples(snap: SnapServer, other: SnapServer): readonly Example[] {
  const pictures = `${snap.origin}/picture.png`
  const picture = (aspect: string, props: Props = {}): Node => ({
    type: 'image',
    props: { url: pictures, aspect, ...props },
  })
  const media = (props: Props) => ({ media: props })
  const thumb = media({ variant: 'image', url: pictures, alt: 'A bird', round: true })
  const sign = (name: string, color: string) => media({ variant: 'icon', name, color })
  const goIn =
    (name: string) =>
    (label: string, page: string, props: Props = {}) =>
      button(label, 'submit', { target: `${snap.origin}/${name}/${page}` }, props)

  const examples = [
    actions(goIn('actions')),
    rows(goIn('rows')),
    board(goIn('board')),
    colours(),
    shortPager(goIn('short-pager')),
    longPager(goIn('long-pager')),
    clock(goIn('clock')),
    showcase(goIn('showcase')),
    itemsWithMedia(goIn('media')),
    games(goIn('games')),
    catalogue(goIn('catalogue')),
    spectrum(goIn('spectrum')),
    ...pairOfSnaps(),
    kit(goIn('kit')),
    versions(goIn('versions')),
  ]
  for (const { name, pages } of examples) {
    snap.pages.set(`/${name}`, () => flat(pages.home!))
    for (const [path, page] of Object.entries(pages)) {
      snap.answers.set(`/${name}/${path}`, () => flat(page))
    }
    snap.answers.set(`/${name}/chosen`, ({ payload }: Pressed) =>
      flat(pages[Object.values(payload.inputs).find((one) => String(one) in pages) as string]!),
    )
  }
  return examples

  type Go = ReturnType<typeof goIn>

  function actions(go: Go): Example {
    const back = row([go('Back', 'home', { icon: 'arrow-left' }), go('Start', 'home')], {
      gap: 'sm',
      justify: 'between',
    })
    const about = (name: string, middle: Node, buttons: readonly Node[]) => ({
      root: stack([
        text(name, { size: 'md', weight: 'bold' }),
        small(`What ${name} can do`),
        middle,
        separator,
        row(buttons, { gap: 'sm' }),
        back,
      ]),
      more: accent('blue'),
    })
    const rowsOf = (...names: readonly string[]) =>
      group(
        names.map((name) => item(name, undefined, [badge(`${name} here`, { color: 'teal' })])),
        { border: true, separator: true },
      )
    const open = (label: string) =>
      button(label, 'open_mini_app', { target: 'https://app.example' }, { icon: 'arrow-right' })
    const token = 'eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
    const kinds = ['Posts', 'People', 'Coins', 'Trade']
    return {
      name: 'actions',
      pages: {
        home: {
          root: stack([
            text('All that a button does', { size: 'md', weight: 'bold' }),
            small('Choose a kind of action.'),
            options('kind', kinds, { label: 'Kind' }),
            separator,
            row([go('Show', 'chosen', { variant: 'primary' }), open('Mini app')], { gap: 'sm' }),
          ]),
          more: accent('purple'),
        },
        Posts: about('Posts', badge('Post 0x6cbd…', { color: 'blue' }), [
          button('See it', 'view_cast', { hash: `0x${'6c'.repeat(20)}` }, { variant: 'primary' }),
          button('Write', 'compose_cast', { text: 'Hello', channelKey: 'birds' }),
        ]),
        People: about('People', small('A profile and an app.'), [
          button('Profile', 'view_profile', { fid: 2 }, { variant: 'primary', icon: 'user' }),
          open('App'),
        ]),
        Coins: about('Coins', rowsOf('Coin', 'Chain'), [
          button('See coin', 'view_token', { token }, { variant: 'primary', icon: 'wallet' }),
          button('Explorer', 'open_url', { target: 'https://explorer.example' }),
        ]),
        Trade: about('Trade', rowsOf('To', 'For'), [
          button('Send coin', 'send_token', { token, recipientFid: 2 }, { icon: 'coins' }),
          button('Swap', 'swap_token', { sellToken: token, buyToken: token }),
        ]),
      },
      steps: kinds.flatMap((kind) => [
        { choose: [kind], press: 'Show', page: kind },
        ...(kind === 'Trade' ? [{ press: 'Send coin', said: /no tokens/ }] : []),
        { press: 'Back', page: 'home' },
      ]),
    }
  }

  /** Two to six buttons, and as many options, just within what stands in a row and just above it. */
  function rows(go: Go): Example {
    const room: readonly number[] = [0, 0, 20, 15, 11, 8, 0]
    /** Labels of so many characters together. */
    const labels = (count: number, characters: number) =>
      Array.from({ length: count }, (_, i) =>
        LETTERS[i]!.repeat(
          Math.max(1, Math.floor(characters / count) + (i < characters % count ? 1 : 0)),
        ),
      )
    const kinds = ['buttons', 'options'].flatMap((kind) =>
      [2, 3, 4, 5, 6].map((count) => [kind, count] as const),
    )
    const pages = kinds.map(([kind, count], at): [string, ExamplePage] => {
      const name = at === 0 ? 'home' : `${kind}-${count}`
      const shown = (characters: number, direction: string): Node =>
        kind === 'buttons'
          ? stack(
              labels(count, characters).map((label) => go(label, name)),
              { direction },
            )
          : options(`${name}-${characters}`, labels(count, characters), { orientation: direction })
      const next = kinds[at + 1]
      const boxes = [
        ...(room[count]
          ? [stack([item('Within', 'As long as a row has room'), shown(room[count], 'vertical')])]
          : []),
        stack([item('Above', 'Longer than a row'), shown(room[count]! + 1, 'horizontal')]),
      ]
      const root = stack([
        item(`${count} ${kind}`, 'Rows and columns'),
        ...boxes,
        row([go('Next one', next ? `${next[0]}-${next[1]}` : 'home')]),
      ])
      return [name, { root }]
    })
    return {
      name: 'rows',
      pages: Object.fromEntries(pages),
      steps: pages.map((_, at) => ({ press: 'Next one', page: pages[at + 1]?.[0] ?? 'home' })),
    }
  }

  function board(go: Go): Example {
    const stones = cells(81, 9, (at) => ({
      color: at % 2 ? '#e2c48f' : 'green',
      content: at === 40 ? '●' : '',
    }))
    const grid = (page: string): Node => ({
      ...go('', page),
      type: 'cell_grid',
      props: { name: 'at', cols: 9, rows: 9, gap: 'sm', cellAspectRatio: 'square', cells: stones },
    })
    const page = (said: string) => ({
      root: stack(
        [
          item(
            'Board',
            'Nine by nine',
            [badge('Black', { color: 'green' })],
            sign('grid', 'green'),
          ),
          text('Press a field.', { size: 'sm', color: 'muted' }),
          grid('played'),
          small(said, { align: 'center' }),
        ],
        { gap: 'sm' },
      ),
      more: accent('green'),
    })
    return {
      name: 'board',
      pages: { home: page('Nobody has played.'), played: page('You have played.') },
      steps: [{ press: '●', page: 'played' }],
    }
  }

  function colours(): Example {
    const tiles = (more: object): Node => ({
      type: 'cell_grid',
      props: {
        ...{ cols: 4, rows: 1, gap: 'sm', rowHeight: 40 },
        cells: cells(4, 4, (at) => ({
          color: ['#101820', '#f7f9fb', 'blue', '#ffd166'][at],
          content: LETTERS[at],
          ...more,
        })),
      },
    })
    const root = stack(
      [
        item('Colours of words', 'In two rows', undefined, sign('palette', 'blue')),
        text('Chosen by the client', { size: 'sm', color: 'muted' }),
        tiles({}),
        text('Chosen by the snap', { size: 'sm', color: 'muted' }),
        tiles({ textColor: 'amber' }),
      ],
      { gap: 'md' },
    )
    return { name: 'colours', pages: { home: { root, more: accent('blue') } }, steps: [] }
  }

  function shortPager(go: Go): Example {
    const tile: Node = {
      type: 'cell_grid',
      props: {
        ...{ rows: 1, cols: 1, gap: 'none', rowHeight: 36 },
        cells: [{ row: 0, col: 0, color: 'pink', content: 'Turn the page' }],
      },
      press: { action: 'paginator_next', params: {} },
    }
    const page = (said: string) => ({
      root: stack([
        picture('4:1', { alt: 'A meadow', title: 'A book', subtitle: 'Of two pages' }),
        stack(
          [
            tile,
            row([button('Before', 'paginator_prev'), button('After', 'paginator_next')], {
              equalWidth: true,
              gap: 'sm',
            }),
          ],
          { gap: 'sm' },
        ),
        {
          type: 'paginator',
          props: { initialPage: 0, showControls: false, showIndicators: false, transition: 'fade' },
          below: [
            stack([bold('Page one'), small('It has words.', { maxLines: 2 })]),
            stack([
              bold('Page two'),
              options('pick', ['One', 'Two', 'Six']),
              small('And a choice.'),
            ]),
          ],
        },
        row([go('Confirm', 'sent', { variant: 'primary' }), go('Reload', 'home')], {
          equalWidth: true,
        }),
        small(said, { align: 'center' }),
      ]),
      more: accent('pink', {}),
    })
    return {
      name: 'short-pager',
      pages: { home: page('Nothing is sent.'), sent: page('It was sent.') },
      steps: [
        { press: 'Turn the page', said: /Page two/ },
        { press: 'Before', said: /Page one/ },
        { press: 'After', said: /Page two/ },
        { choose: ['Six'], press: 'Confirm', page: 'sent' },
        { press: 'Reload', page: 'home' },
      ],
    }
  }

  function longPager(go: Go): Example {
    const tiles = (count: number, cols: number, props: object): Node => ({
      type: 'cell_grid',
      props: {
        ...{ cols, rows: count / cols, cellAspectRatio: 'square', ...props },
        cells: cells(count, cols, (at) => ({
          color: at % 2 ? '#99f6e4' : 'teal',
          content: `${at + 1}`,
        })),
      },
    })
    const to = (label: string, page: number) => button(label, 'paginator_go_to', { page })
    const even = { equalWidth: true, gap: 'sm' }
    const pagesOf: readonly (readonly Node[])[] = [
      [bold('Leaf 1'), small('With controls.', { maxLines: 2 }), small('And without a limit.')],
      [bold('Leaf 2'), small('Words.'), small('Words within two lines.', { maxLines: 2 })],
      [bold('Leaf 3'), small('Many tiles.'), tiles(18, 6, {}), button('On', 'paginator_next')],
      [bold('Leaf 4'), small('Few tiles.'), tiles(9, 3, { maxWidth: 'sm', gap: 'md' })],
      [bold('Leaf 5'), small('Wider tiles.'), tiles(9, 3, { maxWidth: 'md', gap: 'md' })],
      [
        bold('Leaf 6'),
        small('Own controls.'),
        row([button('Back', 'paginator_prev'), button('Forward', 'paginator_next')], even),
      ],
      [bold('Leaf 7'), picture('4:1', { alt: 'A card', title: 'On it', subtitle: 'Below it' })],
      [bold('Leaf 8'), small('More than six pages.')],
      [bold('Leaf 9'), small('Limits hold.'), to('To the first', 0)],
      [bold('Leaf 10'), small('The end.')],
    ]
    const page = (said: string) => ({
      root: stack([
        picture('4:1', { alt: 'A banner', title: 'Ten leaves', subtitle: 'In one page' }),
        stack(
          [row([to('Words', 1), to('Tiles', 2)], even), row([to('Few', 3), to('Wide', 4)], even)],
          {
            gap: 'sm',
          },
        ),
        {
          type: 'paginator',
          props: {
            ...{ initialPage: 0, showControls: true, showIndicators: true },
            ...{ controlsPosition: 'top', transition: 'slide' },
          },
          below: pagesOf.map((below) => ({ type: 'stack', below })),
        },
        row([go('Confirm', 'sent', { variant: 'primary' }), go('Reload', 'home')], even),
        small(said, { align: 'center', maxLines: 2 }),
      ]),
      more: accent('teal'),
    })
    return {
      name: 'long-pager',
      pages: { home: page('Only the buttons below send.'), sent: page('That was sent.') },
      steps: [
        { press: 'Words', said: /Leaf 2/ },
        { press: 'Tiles', said: /Leaf 3/ },
        { press: 'On', said: /Leaf 4/ },
        { press: 'Next page', said: /Leaf 5/ },
        { press: 'Next page', said: /Leaf 6/ },
        { press: 'Forward', said: /Leaf 7/ },
        { press: 'Next page', said: /Leaf 8/ },
        { press: 'Next page', said: /Leaf 9/ },
        { press: 'To the first', said: /Leaf 1/ },
        { press: 'Confirm', page: 'sent' },
        { press: 'Reload', page: 'home' },
      ],
    }
  }

  function clock(go: Go): Example {
    const page = (time: string) => ({
      root: stack([
        item('The time'),
        line(time),
        options('zone', [pair('world', 'World time'), pair('here', 'Time here')]),
        badge('Choose and press'),
        go('Look again', 'chosen'),
      ]),
      more: accent('blue'),
    })
    return {
      name: 'clock',
      pages: {
        home: page('Twelve'),
        world: page('Twelve in the world'),
        here: page('One o’clock here'),
      },
      steps: [
        { choose: ['World time'], press: 'Look again', page: 'world' },
        { choose: ['Time here'], press: 'Look again', page: 'here' },
      ],
    }
  }

  function showcase(go: Go): Example {
    const next = (page: string) => row([go('Start', 'home'), go('Next', page)])
    const results = ['Picked', 'Rated', 'Said', 'Told'].map((name) => item(name, 'A field'))
    const tall = Array.from({ length: 5 }, (_, at) =>
      item(
        `Floor ${at + 1}`,
        'Words that make the card taller than cards are, so that it is cut. '.repeat(2),
      ),
    )
    return {
      name: 'showcase',
      pages: {
        home: {
          root: stack([
            item('All elements'),
            line('Every kind of element, page by page.'),
            picture('3:1'),
            row(
              ['Words', 'Fields', 'Charts', 'Pixels', 'Links', 'Tower'].map((name) =>
                go(name, name),
              ),
            ),
          ]),
          more: accent('purple'),
        },
        Words: {
          root: stack([
            item('Words and badges'),
            row(
              ['42 points', 'First', 'Level 5'].map((one) => badge(one, { variant: 'secondary' })),
            ),
            line('A line of words without a title.'),
            separator,
            badge('Small print'),
            next('Fields'),
          ]),
          more: accent('blue'),
        },
        Fields: {
          root: stack([
            item('Fields'),
            options('pick', ['Alpha', 'Beta', 'Gamma']),
            {
              type: 'slider',
              props: {
                ...{ name: 'rating', min: 0, max: 10, step: 1, value: 5, label: 'Rating' },
                ...{ minLabel: '0', maxLabel: '10' },
              },
            },
            { type: 'input', props: { name: 'said', placeholder: 'Say it', maxLength: 100 } },
            { type: 'switch', props: { name: 'told', label: 'Tell me' } },
            row([go('Words', 'Words'), go('Submit', 'sent'), go('Charts', 'Charts')]),
          ]),
          more: accent('teal'),
        },
        sent: {
          root: stack([
            item('Thank you'),
            ...results,
            badge('It was sent'),
            row([go('Again', 'Fields'), go('Charts', 'Charts')]),
          ]),
          more: accent('green'),
        },
        Charts: {
          root: stack([
            item('Charts'),
            ...['Done', 'Apples', 'Pears', 'Plums', 'Mangoes'].map((one) => progress(one, 20, 50)),
            separator,
            ...['First', 'Second', 'Third'].map((one) => item(one, 'Points')),
            next('Pixels'),
          ]),
          more: accent('amber'),
          isRefused: true,
        },
        Pixels: {
          root: stack([
            item('Pixels'),
            line('A picture, and paper that falls.'),
            picture('1:1'),
            row([go('Charts', 'Charts'), go('Start', 'home')]),
          ]),
          more: accent('pink', { effects: ['confetti'] }),
        },
        Links: {
          root: stack([
            item('Links'),
            line('To a page, and to another snap.'),
            separator,
            button('A page', 'open_url', { target: 'https://page.example' }),
            button('Another snap', 'open_snap', { target: `${snap.origin}/clock` }),
            separator,
            go('Start', 'home'),
          ]),
          more: accent('blue'),
        },
        Tower: { root: stack([item('A tower'), ...tall, go('Start', 'home')]) },
      },
      steps: [
        { press: 'Words', page: 'Words' },
        { press: 'Next', page: 'Fields' },
        { choose: ['Beta', 'Tell me'], write: [['Say it', 'Well']], press: 'Submit', page: 'sent' },
        { press: 'Again', page: 'Fields' },
        { press: 'Charts', said: /has 11 children/ },
        { press: 'Words', page: 'Words' },
        { press: 'Start', page: 'home' },
        { press: 'Pixels', page: 'Pixels' },
        { press: 'Start', page: 'home' },
        { press: 'Tower', page: 'Tower' },
        { press: 'Start', page: 'home' },
        { press: 'Links', page: 'Links' },
        { press: 'Another snap', said: /The time/ },
      ],
    }
  }

  function itemsWithMedia(go: Go): Example {
    const person = button('Open', 'view_profile', { fid: 2 }, { icon: 'user' })
    const done = badge('Done', { color: 'green', icon: 'check' })
    const plain = media({ variant: 'image', url: pictures, alt: 'A tree' })
    return {
      name: 'media',
      pages: {
        home: {
          root: stack([
            item(
              'People and things',
              'With signs',
              [badge('Three', { color: 'teal' })],
              sign('users', 'teal'),
            ),
            small('Who comes?'),
            group(
              [
                item('Raven', 'A bird', [person], thumb),
                item('Bread', 'Is baked', [done], sign('gift', 'amber')),
                item('Oak', 'A tree', [icon('heart', { color: 'purple' })], plain),
              ],
              { border: true, separator: true },
            ),
            group([
              item('By sign', 'Drawn', undefined, sign('star', 'amber')),
              item('By review', 'Read', [go('Read', 'review')], sign('info', 'blue')),
            ]),
            go('Review them', 'review', { variant: 'primary' }),
          ]),
          more: accent('teal'),
        },
        review: {
          root: stack([
            item('Reviewed', 'By you', undefined, sign('check', 'green')),
            item('Raven again', 'Still a bird', undefined, thumb),
            go('Back', 'home', { icon: 'arrow-left' }),
          ]),
          more: accent('green'),
        },
      },
      steps: [
        { press: 'Review them', page: 'review' },
        { press: 'Back', page: 'home' },
      ],
    }
  }

  function games(go: Go): Example {
    const foot = (play: string, page: string) => [
      go(play, page),
      go('Begin anew', page, { variant: 'secondary' }),
      go('Home', 'home', { variant: 'secondary' }),
    ]
    const kinds = [
      pair('words', 'Words'),
      pair('canvas', 'Canvas'),
      pair('story', 'Story'),
      pair('guess', 'Guess'),
      pair('bet', 'Bet'),
    ]
    const range: Node = {
      type: 'slider',
      props: {
        ...{ name: 'number', min: 0, max: 500_000, step: 1_000, value: 250_000, label: 'How many' },
        ...{ minLabel: '0', maxLabel: '500 000' },
      },
    }
    const guess = (last: Node): Node =>
      stack([
        item('A guess'),
        line('How many leaves has the oak?'),
        range,
        last,
        badge('Nobody knows'),
        row(foot('Guess it', 'guessed')),
      ])
    return {
      name: 'games',
      pages: {
        home: {
          root: stack([
            item('Games for many'),
            line('Choose one and press.'),
            options('game', kinds),
            badge('Five of them'),
            go('Play', 'chosen'),
          ]),
        },
        words: {
          root: stack([
            item('Five letters'),
            { type: 'input', props: { name: 'word', placeholder: 'A word', maxLength: 5 } },
            ...['CRANE', 'MOIST', 'CLASH'].map((word) => item(word, 'Two letters')),
            badge('Three words'),
            row(foot('Try', 'words')),
          ]),
        },
        canvas: {
          root: stack([
            item('A canvas'),
            line('Everybody paints.'),
            options(
              'colour',
              ['accent', 'green', 'orange', 'red'].map((one) => pair(one, `In ${one}`)),
            ),
            picture('1:1'),
            badge('Empty'),
            row(foot('Paint', 'canvas')),
          ]),
        },
        story: {
          root: stack([
            item('A story'),
            ...['Once', 'upon', 'a', 'time'].map((one) => item(one, 'By somebody')),
            { type: 'input', props: { name: 'more', placeholder: 'And then?', maxLength: 80 } },
            badge('Four lines'),
            stack(foot('Go on', 'story')),
          ]),
          isRefused: true,
        },
        guess: { root: guess(line('Be the first.')) },
        guessed: { root: guess(item('Yours', '250 000')) },
        bet: {
          root: stack([
            item('A bet'),
            line('Does it rain on Sunday?'),
            options('rain', [pair('yes', 'It does'), pair('no', 'It does not')]),
            progress('It does: 72', 72, 72),
            progress('It does not: 28', 28, 72),
            badge('100 bets'),
            row(foot('Bet on it', 'bet')),
          ]),
        },
      },
      steps: [
        { choose: ['Words'], press: 'Play', page: 'words' },
        { write: [['A word', 'BRAVE']], press: 'Try', page: 'words' },
        { press: 'Home', page: 'home' },
        { choose: ['Canvas'], press: 'Play', page: 'canvas' },
        { choose: ['In orange'], press: 'Paint', page: 'canvas' },
        { press: 'Home', page: 'home' },
        { choose: ['Story'], press: 'Play', said: /has 8 children/ },
        { choose: ['Guess'], press: 'Play', page: 'guess' },
        { press: 'Guess it', page: 'guessed' },
        { press: 'Home', page: 'home' },
        { choose: ['Bet'], press: 'Play', page: 'bet' },
        { choose: ['It does not'], press: 'Bet on it', page: 'bet' },
        { press: 'Home', page: 'home' },
      ],
    }
  }

  function catalogue(go: Go): Example {
    const tones = ['gray', 'blue', 'red', 'amber', 'green', 'teal', 'purple', 'pink']
    const badges = (variant: object) =>
      stack([
        row(tones.slice(0, 4).map((color) => badge(color, { color, ...variant }))),
        row(tones.slice(4).map((color) => badge(`${color}.`, { color, ...variant }))),
      ])
    const icons = (name: string, ...names: readonly string[]) =>
      stack([small(name), row(names.map((one, at) => icon(one, { color: tones[at + 1] })))], {
        gap: 'sm',
      })
    const beside = (aspect: string) =>
      stack([
        row(
          [
            picture(aspect, { alt: `A picture of ${aspect}` }),
            stack([small(`Beside ${aspect}`), small('Words'), badge('Here', { color: 'teal' })]),
          ],
          { gap: 'md' },
        ),
      ])
    const three = (props: Props) =>
      group(
        ['First place', 'Second place', 'Third place'].map((name) =>
          item(name, 'Of three', [badge('Won', { color: 'amber', icon: 'trophy' })]),
        ),
        props,
      )
    const lined = { separator: true, gap: 'sm' }
    const doing = (name: string, ...buttons: readonly Node[]) => [
      stack([
        bold(name),
        group(
          buttons.map((one, at) => item(`Way ${at + 1}`, 'A button', [one])),
          lined,
        ),
      ]),
    ]
    const token = 'eip155:8453/erc20:0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
    const picks: Node = {
      type: 'cell_grid',
      props: {
        ...{ name: 'picked', cols: 3, rows: 3, select: 'multiple' },
        cells: cells(9, 3, (at) => ({ color: tones[at % 8] })),
      },
    }
    const numbers: Node = {
      ...go('', 'results'),
      type: 'cell_grid',
      props: {
        ...{ name: 'day', cols: 7, rows: 2 },
        cells: cells(14, 7, (at) => ({ content: `${at + 1}`, value: `day-${at + 1}` })),
      },
    }
    const shapes: readonly (readonly [string, readonly Node[], string])[] = [
      [
        'Letters',
        [
          stack([
            text('As usual'),
            small('Smaller'),
            separator,
            row([bold('Heavy'), text('Light', { weight: 'normal' })], { gap: 'md' }),
            text('In the middle', { align: 'center' }),
            text('At the end', { align: 'right' }),
          ]),
        ],
        'blue',
      ],
      ['Badges', [stack([badges({}), separator, badges({ variant: 'outline' })])], 'amber'],
      [
        'Signs',
        [
          row([icons('Ways', 'arrow-left', 'arrow-right'), icons('States', 'check', 'x', 'info')]),
          row([icons('Prizes', 'star', 'trophy', 'zap'), icons('Media', 'image', 'play', 'pause')]),
          row([icons('People', 'user', 'users'), icons('Money', 'wallet', 'coins')]),
        ],
        'amber',
      ],
      ['Squares', [beside('1:1')], 'teal'],
      [
        'Rows',
        [
          stack([
            row(
              [1, 2, 3].map((at) => picture('1:1', { alt: `Picture ${at}` })),
              { gap: 'sm' },
            ),
          ]),
        ],
        'teal',
      ],
      ['Tall', [beside('9:16')], 'teal'],
      [
        'Layout',
        [
          stack([
            row([item('Left', 'One', [icon('check')]), item('Right', 'Two', [icon('info')])]),
            separator,
            stack([
              item('With a badge', 'Red', [badge('Hot', { color: 'red', icon: 'zap' })]),
              item('With a sign', 'Larger', [icon('gift', { color: 'purple', size: 'md' })]),
              item('With a button', 'Idle', [
                { type: 'button', props: { label: 'Pay', variant: 'primary', icon: 'wallet' } },
              ]),
            ]),
          ]),
        ],
        'amber',
      ],
      [
        'Meters',
        [
          stack([progress('Nearly', 89), progress('Half', 50), progress('Hardly', 4)], {
            gap: 'md',
          }),
        ],
        'amber',
      ],
      [
        'Lists',
        [
          group(
            [
              item('Alone'),
              item('With words', 'Below it'),
              item('Share me', 'By a button', [button('Share', 'compose_cast', { text: 'Look' })]),
              item('Usual', 'In form', undefined, { variant: 'default' }),
            ],
            lined,
          ),
        ],
        'green',
      ],
      ['Groups', [stack([small('Plain'), three(lined), small('The same')])], 'green'],
      ['Frames', [stack([small('Framed'), three({ border: true, ...lined })])], 'green'],
      [
        'Forms',
        [
          stack([
            { type: 'input', props: { name: 'who', label: 'Name', placeholder: 'Yours' } },
            {
              type: 'input',
              props: { name: 'age', type: 'number', label: 'Age', placeholder: '1' },
            },
            {
              type: 'slider',
              props: { name: 'joy', label: 'Joy', min: 1, max: 10, defaultValue: 5 },
            },
          ]),
          stack([
            { type: 'switch', props: { name: 'letters', label: 'Letters' } },
            { type: 'switch', props: { name: 'calls', label: 'Calls', defaultChecked: true } },
          ]),
        ],
        'teal',
      ],
      [
        'Choices',
        [
          stack([
            options('one', ['Low', 'Mid', 'High'], { label: 'One of these' }),
            options('many', ['North', 'East', 'South', 'West'], {
              ...{ label: 'Some of these', multiple: true, orientation: 'vertical' },
            }),
            options('effect', ['Paper', 'Fire'], { label: 'Then', defaultValue: 'Paper' }),
          ]),
          go('Send it', 'results', { variant: 'primary', icon: 'check' }),
        ],
        'teal',
      ],
      [
        'Bars',
        [
          {
            type: 'bar_chart',
            props: {
              bars: ['Oak', 'Ash', 'Elm', 'Yew'].map((label, at) => ({
                ...{ label, value: 10 * at, color: tones[at] },
              })),
            },
          },
        ],
        'purple',
      ],
      [
        'Grids',
        [stack([numbers, small('A day sends')]), stack([separator, small('Some of nine'), picks])],
        'purple',
      ],
      [
        'Ways',
        doing(
          'Ways to leave',
          button('Page', 'open_url', { target: 'https://page.example' }),
          button('App', 'open_mini_app', { target: 'https://app.example' }),
        ),
        'pink',
      ],
      [
        'People',
        doing(
          'Ways to people',
          button('Profile', 'view_profile', { fid: 2 }),
          button('Post', 'view_cast', { hash: `0x${'6c'.repeat(20)}` }),
          button('Write', 'compose_cast', { text: 'Hello' }),
        ),
        'pink',
      ],
      [
        'Money',
        doing(
          'Ways to pay',
          button('See', 'view_token', { token }),
          button('Send', 'send_token', { token, amount: '1' }),
          button('Swap', 'swap_token', { sellToken: token }),
        ),
        'pink',
      ],
    ]
    const after = (at: number) => shapes[at + 1]?.[0] ?? 'home'
    const results = group(
      ['Name', 'Joy', 'Letters', 'One of these'].map((name) =>
        item(name, undefined, [badge('Given', { color: 'green', icon: 'check' })]),
      ),
      lined,
    )
    const shown = shapes.map(([name, below, tone], at): [string, ExamplePage] => [
      name,
      {
        root: stack([
          stack([badge(`${name}: all`)]),
          ...below,
          row([go('Home', 'home', { icon: 'arrow-left' }), go('Onward', after(at))], {
            justify: 'between',
          }),
        ]),
        more: accent(tone),
      },
    ])
    const pages: Record<string, ExamplePage> = {
      home: {
        root: stack([
          stack([text('A catalogue', { size: 'md', align: 'center' })]),
          stack(
            [0, 2, 4, 6, 8, 10].map((at) =>
              row(
                shapes.slice(at, at + 2).map(([name]) => go(name, name, { icon: 'star' })),
                { gap: 'sm', equalWidth: true },
              ),
            ),
            { gap: 'sm' },
          ),
          row([badge('Quick', { icon: 'zap' }), badge('Tested', { color: 'green' })], {
            gap: 'sm',
          }),
          separator,
          go('Begin', shapes[0]![0], { variant: 'primary' }),
        ]),
        more: accent('purple'),
      },
      ...Object.fromEntries(shown),
      results: {
        root: stack([
          stack([
            text('You have sent', { align: 'center' }),
            small('Paper falls', { align: 'center' }),
          ]),
          results,
          separator,
          row([go('Choices', 'Choices'), go('Grids', 'Grids', { variant: 'primary' })]),
        ]),
        more: accent('green', { effects: ['fireworks'] }),
      },
    }
    const steps = shapes.flatMap(([name], at): Step[] => {
      const here: Step[] = []
      if (name === 'Choices') {
        const choose = ['High', 'East', 'West', 'Fire']
        here.push({ choose, press: 'Send it', page: 'results' }, { press: name, page: name })
      } else if (name === 'Grids') {
        here.push({ choose: ['Row 2, column 2'], press: '14', page: 'results' })
        here.push({ press: name, page: name })
      }
      return [...here, { press: 'Onward', page: after(at) }]
    })
    return {
      name: 'catalogue',
      pages,
      steps: [{ press: 'Begin', page: shapes[0]![0] }, ...steps],
    }
  }

  function spectrum(go: Go): Example {
    const bars = ['Calm', 'Even', 'Brisk', 'Wild'].map((name) => progress(name, 40, 389))
    return {
      name: 'spectrum',
      pages: {
        home: {
          root: stack([
            item('Calm or wild?'),
            line('Between a lake and the sea'),
            {
              type: 'slider',
              props: {
                ...{ name: 'where', min: 0, max: 100, step: 5, value: 50 },
                ...{ minLabel: 'Lake', maxLabel: 'Sea' },
              },
            },
            go('Vote here', 'voted'),
          ]),
        },
        voted: {
          root: stack([
            item('All votes'),
            ...bars,
            line('389 have voted'),
            badge('Wild wins'),
            go('Again', 'home'),
          ]),
          isRefused: true,
        },
      },
      steps: [{ press: 'Vote here', said: /has 8 children/ }],
    }
  }

  function pairOfSnaps(): readonly Example[] {
    const leave = (label: string, target: string) => button(label, 'open_url', { target })
    const page = (
      name: string,
      lines: readonly string[],
      buttons: readonly Node[],
      tone: string,
    ) => ({
      root: stack([item(name), ...lines.map(line), badge(`${name}, a badge`), ...buttons]),
      more: accent(tone),
    })
    const out = leave('Elsewhere', 'https://page.example')
    const [one, two] = [
      page('Snap one', ['This is one.'], [leave('To two', other.origin), out], 'blue'),
      page(
        'Snap two',
        ['This is two.', 'It has two lines.'],
        [leave('To one', snap.origin)],
        'green',
      ),
    ]
    return [
      { name: 'one', pages: { home: one }, steps: [] },
      { name: 'two', pages: { home: two }, steps: [] },
    ]
  }

  function kit(go: Go): Example {
    const tile = (name: string) => badge(name, { variant: 'secondary' })
    const steps = ['home', 'second', 'third', 'fourth', 'fifth']
    const next = (at: number) => go('Next', steps[(at + 1) % 5]!)
    const pages: Record<string, ExamplePage> = {
      home: {
        root: stack([
          item('The kit'),
          line('Page 1 of 5: choices'),
          options('letter', [pair('a', 'Alpha'), pair('b', 'Bravo'), pair('c', 'Charlie')]),
          { type: 'switch', props: { name: 'on', label: 'Is it on?' } },
          next(0),
          go('Third', 'third'),
        ]),
      },
      second: {
        root: stack([
          separator,
          progress('A third', 30),
          ...['A', 'B', 'C'].map((name) => item(`Line ${name}`, 'One')),
          { type: 'input', props: { name: 'text', placeholder: 'Write', maxLength: 80 } },
          {
            type: 'slider',
            props: { name: 'n', min: 0, max: 100, step: 10, value: 50, label: 'N' },
          },
          next(1),
        ]),
        isRefused: true,
      },
      third: {
        root: stack([
          item('Picture and row'),
          picture('1:1'),
          row([badge('In a row'), progress('Of three', 40), item('G1 and G2')]),
          separator,
          next(2),
        ]),
      },
      fourth: {
        root: stack([
          item('A way'),
          progress('Nearly there', 72),
          item('Step one', 'done'),
          item('Step two', 'now'),
          separator,
          next(3),
        ]),
      },
      fifth: {
        root: stack([
          item('Tiles'),
          row(['A1', 'A2', 'A3'].map(tile)),
          row(['B1', 'B2', 'B3'].map(tile)),
          separator,
          next(4),
        ]),
      },
    }
    return {
      name: 'kit',
      pages: Object.fromEntries(
        Object.entries(pages).map(([name, page]) => [name, { ...page, more: accent('amber') }]),
      ),
      steps: [
        { choose: ['Bravo', 'Is it on?'], press: 'Next', said: /has 8 children/ },
        { press: 'Third', page: 'third' },
        { press: 'Next', page: 'fourth' },
        { press: 'Next', page: 'fifth' },
        { press: 'Next', page: 'home' },
      ],
    }
  }

  function versions(go: Go): Example {
    const sections = (name: string) =>
      stack(
        [1, 2, 3, 4, 5, 6].map((at) =>
          item(
            `Part ${at}`,
            `${name}: words that make it taller than five hundred pixels, line by line.`,
          ),
        ),
      )
    const back = go('Home', 'home')
    const links = [
      ['Old and wide', 'wide'],
      ['Old and tall', 'old-tall'],
      ['New and strict', 'strict'],
      ['New and tall', 'tall'],
      ['New and wrong', 'wrong'],
      ['🎉 Paper', 'paper'],
    ] as const
    const tall = (name: string) =>
      stack([item(name), badge('Above the height'), sections(name), back])
    const old = (tone: string) => ({ version: '1.0', ...accent(tone) })
    return {
      name: 'versions',
      pages: {
        home: {
          root: stack([
            item('Two versions'),
            line('What each of them allows.'),
            stack(links.map(([label, page]) => go(label, page))),
          ]),
        },
        wide: {
          root: stack([
            item('Ten children'),
            badge('Version 1'),
            line('More than version 2 allows.'),
            ...[1, 2, 3, 4, 5, 6].map((at) => item(`Child ${at}`, 'More')),
            back,
          ]),
          more: old('blue'),
        },
        'old-tall': { root: tall('Tall and old'), more: old('red') },
        strict: {
          root: stack([
            item('Seven children'),
            badge('A label of more than thirty characters'),
            line('As many as there may be.'),
            progress('Seven of seven', 7, 7),
            separator,
            stack([
              {
                type: 'slider',
                props: {
                  ...{ name: 'n', min: 0, max: 10, step: 1, defaultValue: 5 },
                  ...{ label: 'Mark', showValue: true },
                },
              },
              options('verdict', ['Pass', 'Fail']),
            ]),
            back,
          ]),
          more: accent('green'),
        },
        tall: { root: tall('Tall and new'), more: accent('red') },
        wrong: {
          root: stack([
            item('Eight children'),
            badge('One too many'),
            line('It is not shown.'),
            ...[1, 2, 3, 4].map((at) => item(`Extra ${at}`)),
            back,
          ]),
          isRefused: true,
        },
        paper: {
          root: stack([
            item('🎉 Paper falls'),
            badge('An effect'),
            line('Press again for more.'),
            go('Again 🎉', 'paper'),
            back,
          ]),
          more: accent('pink', { effects: ['confetti'] }),
        },
      },
      steps: links.flatMap(([label, page]): Step[] =>
        page === 'wrong'
          ? [{ press: label, said: /has 8 children/ }]
          : [
              { press: label, page },
              ...(page === 'paper' ? [{ press: 'Again 🎉', page }] : []),
              { press: 'Home', page: 'home' },
            ],
      ),
    }
  }
}
