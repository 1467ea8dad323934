import { type CaptureRule, part, pattern } from "../language-rules.ts";

const NOW = part`(?:现在|現在|目前|如今|已经|已經|刚刚?|剛剛?|最近|一直|本人|就|也|还|還)?`;
const VERY = part`(?:还是|還是|更|比较|比較|最|很|非常|特别|特別|十分|真的|也|一直|个人|個人|现在|現在){0,2}`;
const STANDING = part`(?:从现在起|從現在起|从现在开始|從現在開始|从今以后|從今以後|以后|以後|今后|今後|往后|默认|默認)`;
const THING = part`(?<value>.{1,80}?)`;
const USE = part`(?:使用|采用|採用|用)`;

/** The rules of Chinese, the more specific first. */
export const CHINESE_RULES: readonly CaptureRule[] = [
  {
    trigger: "name",
    category: "entity",
    key: "user.name",
    pattern: pattern`^(?:我的(?:名字|姓名)(?:是|叫)|我(?:现在|現在)?(?:叫做?|名叫|的名字叫)|(?:请|請|你可以|可以|大家都|就)?叫我)(?<value>(?!做|不|醒|起床|一声|一聲|怎么|去|来|吃)[^，。！？的]{1,20})$`,
  },
  {
    trigger: "named",
    category: "entity",
    lasting: true,
    pattern: pattern`^我的?(?<topic>儿子|兒子|女儿|女兒|狗|猫|貓|哥哥|弟弟|姐姐|妹妹|宠物)(?:的名字)?(?:叫|名叫|是叫)(?<value>.{1,20})$`,
  },
  {
    trigger: "named",
    category: "entity",
    key: "entity",
    lasting: true,
    pattern: pattern`^我的?(?<topic>妻子|太太|老婆|丈夫|老公|儿子|兒子|女儿|女兒|狗|猫|貓|妈妈|爸爸|哥哥|弟弟|姐姐|妹妹|公司|老板|经理|宠物)(?:的名字)?(?:叫|名叫|是叫)(?<value>.{1,20})$`,
  },
  {
    trigger: "location",
    category: "fact",
    key: "user.location",
    lasting: true,
    pattern: pattern`^我(?:们|們)?${NOW}(?:住在|居住在|定居在|搬到了?|搬去了?|生活在|常驻|移居)${THING}(?:了|生活|居住)?$`,
  },
  {
    trigger: "origin",
    category: "fact",
    key: "user.origin",
    lasting: true,
    pattern: pattern`^我(?:来自|來自|出生在|出生于|出生於|老家是|老家在|的老家在)${THING}$`,
  },
  {
    trigger: "employer",
    category: "fact",
    key: "user.employer",
    lasting: true,
    pattern: pattern`^我${NOW}(?:在${THING}(?:工作|上班|任职|就职)|就职于(?<other>.{1,40}))$`,
  },
  {
    trigger: "job",
    category: "fact",
    key: "user.job",
    lasting: true,
    pattern: pattern`^(?:我的(?:职业|職業|工作)是|我是(?:一名|一个|一個|一位|名)?(?=[^，。]{0,15}(?:工程师|工程師|程序员|医生|醫生|老师|老師|学生|學生|设计师|律师|護士|护士|经理|研究员|作家|记者|厨师)))${THING}$`,
  },
  {
    trigger: "being",
    category: "fact",
    lasting: true,
    pattern: pattern`^我(?:是|有|今年)?(?:一个|一個|个)?(?<value>素食主义者|素食主義者|素食者|吃素|左撇子|右撇子|色盲|色弱|糖尿病|乳糖不耐受?|已婚|单身|單身|\d{1,3}岁|\d{1,3}歲)(?:的|患者)?$`,
  },
  {
    trigger: "allergy",
    category: "fact",
    key: "allergy",
    lasting: true,
    pattern: pattern`^我(?:对|對)${THING}(?:严重)?(?:过敏|過敏|不耐受)$`,
  },
  ...(
    [
      ["生日", "user.birthday"],
      ["时区|時區", "user.timezone"],
      ["邮箱|郵箱|电子邮件|邮箱地址|email", "user.email"],
      ["电话|電話|手机号|手机|电话号码", "user.phone"],
      ["地址|住址", "user.address"],
      ["母语|母語", "user.language"],
    ] as const
  ).map(
    ([noun, key]): CaptureRule => ({
      trigger: "about",
      category: "fact",
      key,
      lasting: true,
      pattern: pattern`^我的(?:新)?(?:${noun})(?:现在)?(?:是|在)(?!不)${THING}$`,
    }),
  ),
  {
    trigger: "favourite",
    category: "preference",
    key: "favourite",
    pattern: pattern`^我(?:最喜欢的|最喜歡的|最爱的|最愛的|偏爱的)(?<topic>[^，。是]{1,20})(?:现在)?是${THING}$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^(?:比起|相比|与其|跟)(?<other>[^，。]{1,40})(?:相比)?[，,]?\s?我(?:们)?(?:还是)?(?:更喜欢|更喜歡|更愿意用?|宁愿用?|更偏好|更倾向于?|比较喜欢)(?:使用|用)?${THING}$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^我(?:们|們)?${VERY}(?:喜欢|喜歡|偏好|偏爱|偏愛|倾向于?|傾向於?|愿意)(?:使用|用)?${THING}(?:胜过|勝過|多过|超过|而不是|而不用|不喜欢)${THING.replace("value", "other")}$`,
  },
  {
    trigger: "prefer",
    category: "preference",
    key: "preference",
    pattern: pattern`^我(?:们|們)?${VERY}(?:偏好|偏爱|偏愛|倾向于|傾向於|更喜欢|更喜歡|宁愿|寧願)(?:使用|用)?${THING}$`,
  },
  {
    trigger: "like",
    category: "preference",
    key: "like",
    pattern: pattern`^我${VERY}(?:不(?:太|是很|怎么|再)?)?(?:喜欢|喜歡|讨厌|討厭|喜爱|热爱|恨|受不了|爱|愛)(?!你|我)${THING}$`,
  },
  {
    trigger: "habit",
    category: "preference",
    key: "use",
    pattern: pattern`^我(?:们|們)?(?:总是|總是|一直|从不|從不|从来不|從來不|不再|只|一般|通常|平时|平時|不)(?:使用|用)${THING}$`,
  },
  {
    trigger: "habit",
    category: "preference",
    key: "do",
    pattern: pattern`^我(?<value>(?:从不|從不|从来不|不再|不|总是|總是)(?:吃|喝|抽|坐|加班|熬夜|开车).{0,40})$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:我们|我們|我|团队|團隊|公司)(?:已经|已經|最终|最終|最后|最後|都|一致|现在|還是|还是|团队){0,2}(?:决定|決定|商定|选定|選定|选择|選擇|同意|约定|敲定|选)(?:了)?(?:不)?(?:使用|采用|採用|改用|选用|用|换成|迁移到|切换到)?${THING}(?:来做|來做|做为|作为|作為|当作?|當作?|做|来|用于|用於|负责|进行)(?<topic>[^，。]{1,40})$`,
  },
  {
    trigger: "decided",
    category: "decision",
    key: "decision",
    pattern: pattern`^(?:我们|我們|我|团队|團隊|公司)(?:已经|已經|最终|最終|最后|最後|都|一致|现在|还是){0,2}(?:决定|決定|商定|选定|選定|同意|约定|敲定|统一)(?:了)?(?:在(?<topic>[^，。]{1,30}?)(?:上|中|里|时))?(?:使用|采用|採用|改用|选用|用|换成|迁移到|切换到)?${THING}$`,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "decision",
    pattern: pattern`^(?:我们|我們)(?:公司|团队|现在|目前|都)?(?:使用|用|采用)(?<value>[\p{L}\p{N} .+#-]{1,40}?)\s?(?:来做|做|作为|作為|当|来|进行|管理)(?<topic>[^，。]{1,40})$`,
  },
  {
    trigger: "uses",
    category: "technical",
    key: "project",
    pattern: pattern`^(?:我们|我們)的?(?<topic>[^，。]{1,20}?(?:运行在|部署在|跑在|使用的是|用的是|是用|基于))${THING}$`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING}[，,]?)?(?:请|請)?(?:总是|總是|始终|始終|都|一律)?${USE}${THING}(?:代替|替代|取代|而不是|而不用|，?不要用|，?别用)(?<other>.{1,40})$`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^(?:${STANDING}[，,]?)?(?:请|請|你)?(?:${STANDING})?(?:在(?<scope>[^，。]{1,20}?)(?:里|中|上|时|時)?)?(?:不要再|不要|别再|别|別|禁止|切勿|请勿|勿|永远不要|永遠不要|绝不要?|再也不要|总是|總是|始终|始終|务必|務必|一律|永远|永遠|都|一定要|必须|必須)${USE}${THING}$`,
  },
  {
    trigger: "use",
    category: "preference",
    key: "use",
    imperative: true,
    pattern: pattern`^${STANDING}[，,]?(?:请|請)?(?:都|就|只)?${USE}${THING}$`,
  },
  {
    trigger: "always",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^(?:${STANDING}[，,]?)?(?:请|請|你)?(?:总是|總是|始终|始終|务必|務必|一律|永远不要|永遠不要|永远|绝不|再也不要|不要再|每次都)(?<value>[^，。]{2,60})$`,
  },
  {
    trigger: "from now on",
    category: "preference",
    key: "do",
    imperative: true,
    pattern: pattern`^${STANDING}[，,]?(?:请|請)?(?:都|就)?(?!我|他|她|它|再说|再說)(?<value>[^，。]{2,60})$`,
  },
];
