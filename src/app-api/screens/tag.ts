export const SCREENS = [
  {
    name: 'Screens',
    description: 'Answers that have all of a screen: several calls of this interface in one.',
  },
]
