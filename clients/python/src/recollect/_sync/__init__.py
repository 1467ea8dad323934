# Made from `_async` by `npm run python`: change it there.
