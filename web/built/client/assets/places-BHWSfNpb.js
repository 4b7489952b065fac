import{Qn as e,Xn as t,br as n,yr as r}from"./first-XD3hN9Fb.js";var i=`Tokyo|JP|3569|13975
Mumbai|IN|1902|7286
Mexico City|MX|1944|-9913
Shanghai|CN|3122|12144
Sao Paulo|BR|-2356|-4663
New York|US|4075|-7398
Karachi|PK|2487|6699
Buenos Aires|AR|-3460|-5840
Delhi|IN|2867|7723
Moscow|RU|5575|3762
Istanbul|TR|4110|2901
Dhaka|BD|2372|9041
Cairo|EG|3005|3125
Seoul|KR|3757|12700
Kolkata|IN|2249|8832
Beijing|CN|3993|11639
Jakarta|ID|-617|10683
Los Angeles|US|3399|-11818
London|GB|5150|-12
Tehran|IR|3567|5142
Lima|PE|-1205|-7705
Manila|PH|1460|12098
Bogota|CO|460|-7408
Osaka|JP|3475|13546
Rio de Janeiro|BR|-2293|-4323
Kinshasa|CD|-433|1531
Lahore|PK|3156|7435
Guangzhou|CN|2314|11333
Bengaluru|IN|1297|7756
Chicago|US|4183|-8775
Bangkok|TH|1375|10052
Hong Kong|HK|2230|11419
Chennai|IN|1309|8028
Wuhan|CN|3058|11427
Tianjin|CN|3913|11720
Sydney|AU|-3392|15119
Chongqing|CN|2956|10659
Baghdad|IQ|3334|4439
Hyderabad|IN|1740|7848
Paris|FR|4887|233
Melbourne|AU|-3782|14498
Taipei|TW|2504|12157
Lagos|NG|644|339
Toronto|CA|4370|-7942
Ahmedabad|IN|2303|7258
Dongguan|CN|2305|11374
Ho Chi Minh City|VN|1078|10670
Riyadh|SA|2464|4677
Shenzhen|CN|2255|11412
Singapore|SG|129|10386
Chittagong|BD|2233|9180
Shenyeng|CN|4180|12345
Houston|US|2982|-9534
Chengdu|CN|3067|10407
St. Petersburg|RU|5994|3032
Alexandria|EG|3120|2995
Belo Horizonte|BR|-1992|-4392
Pune|IN|1853|7385
Yokohama|JP|3532|13958
Rangoon|MM|1678|9617
Xian|CN|3428|10889
Luanda|AO|-884|1323
Ankara|TR|3993|3286
Philadelphia|US|4000|-7517
Abidjan|CI|532|-404
Busan|KR|3510|12901
Harbin|CN|4575|12665
Nanjing|CN|3205|11878
Surat|IN|2120|7284
Khartoum|SD|1559|3253
Hechi|CN|2310|10961
Barcelona|ES|4138|218
Berlin|DE|5252|1340
Casablanca|MA|3360|-762
Kabul|AF|3452|6918
Kano|NG|1200|852
Brasilia|BR|-1578|-4792
Salvador|BR|-1297|-3848
Montréal|CA|4550|-7358
Dallas|US|3282|-9684
Kanpur|IN|2646|8032
Miami|US|2579|-8022
Fortaleza|BR|-375|-3858
Jeddah|SA|2152|3922
Haora|IN|2258|8833
Addis Ababa|ET|903|3870
Guadalajara|MX|2067|-10333
Hanoi|VN|2103|10585
Pyongyang|KP|3902|12575
Santiago|CL|-3345|-7067
Nairobi|KE|-128|3682
Changchun|CN|4387|12534
Cape Town|ZA|-3392|1843
New Taipei|TW|2501|12146
Taiyuan|CN|3788|11255
Jaipur|IN|2692|7581
Dar es Salaam|TZ|-680|3927
Madrid|ES|4040|-368
Quezon City|PH|1465|12103
Johannesburg|ZA|-2617|2803
Durban|ZA|-2987|3098
Nagoya|JP|3515|13691
El Giza|EG|3001|3119
Algiers|DZ|3676|305
Medellin|CO|628|-7558
Porto Alegre|BR|-3005|-5120
Surabaya|ID|-725|11275
Dalian|CN|3892|12163
Lucknow|IN|2686|8091
Recife|BR|-808|-3492
Faisalabad|PK|3141|7311
Incheon|KR|3748|12664
Dakar|SN|1472|-1747
Boston|US|4233|-7107
Detroit|US|4233|-8308
Damascus|SY|3350|3630
Atlanta|US|3383|-8440
Daegu|KR|3587|12861
Izmir|TR|3844|2715
Washington, D.C.|US|3890|-7701
Hangzhou|CN|3025|12017
Phoenix|US|3354|-11207
Zhangzhou|CN|2452|11767
Jinan|CN|3667|11700
Monterrey|MX|2567|-10033
Guiyang|CN|2658|10672
Caracas|VE|1050|-6692
Nagpur|IN|2117|7909
Changsha|CN|2820|11297
Zhengzhou|CN|3475|11367
Mashhad|IR|3627|5957
Curitiba|BR|-2542|-4932
Omdurman|SD|1562|3248
Lanzhou|CN|3606|10379
Qingdao|CN|3609|12033
Guayaquil|EC|-222|-7992
Ibadan|NG|738|393
Cali|CO|340|-7650
Shijianzhuang|CN|3805|11448
Sapporo|JP|4307|14134
Kyiv|UA|5043|3052
Xiangtan|CN|2785|11290
Nanchong|CN|3078|10613
Aleppo|SY|3623|3717
Kaohsiung|TW|2263|12027
Jilin|CN|4385|12655
Milan|IT|4547|921
Nanchang|CN|2868|11588
Fukuoka|JP|3360|13041
San Francisco|US|3774|-12246
Havana|CU|2313|-8236
Tashkent|UZ|4131|6929
Vienna|AT|4820|1637
Bandung|ID|-695|10757
Accra|GH|555|-22
Baku|AZ|4040|4986
Athens|GR|3798|2373
Kunming|CN|2507|10268
Suzhou|CN|3364|11698|Anhui
Bekasi|ID|-622|10697
San Diego|US|3282|-11718
Medan|ID|358|9865
Indore|IN|2272|7587
Denver|US|3974|-10498
Sanaa|YE|1535|4421
Campinas|BR|-2290|-4710
Fuzhou|CN|2608|11930
Patna|IN|2562|8513
Zibo|CN|3680|11805
Saidu|PK|3475|7235
Santa Cruz|BO|-1775|-6323
Bucharest|RO|4443|2610
Taichung|TW|2415|12068
Urumqi|CN|4381|8758
Seattle|US|4757|-12234
Rawalpindi|PK|3360|7304
Benoni|ZA|-2615|2833
Puebla|MX|1905|-9820
Belem|BR|-145|-4848
Frankfurt|DE|5010|868
Beirut|LB|3387|3551
Stuttgart|DE|4878|920
Shuyang|CN|3413|11877
Maracaibo|VE|1073|-7166
Hamburg|DE|5355|1000
Tel Aviv-Yafo|IL|3208|3477
Tangshan|CN|3962|11819
Hefei|CN|3185|11728
Warsaw|PL|5225|2100
Minsk|BY|5390|2757
Rome|IT|4190|1248
Rabat|MA|3403|-684
Wanzhou|CN|3082|10840
Budapest|HU|4750|1908
Lisbon|PT|3872|-914
Bhopal|IN|2325|7741
Xuzhou|CN|3428|11718
Sendai|JP|3829|14102
Manaus|BR|-310|-6000
Birmingham|GB|5247|-192
Kyoto|JP|3503|13575
Taian|CN|3620|11712
Douala|CM|406|971
Naples|IT|4084|1425
Port-au-Prince|HT|1854|-7234
Irvine|US|3368|-11783
George Town|MY|541|10033
Wenzhou|CN|2802|12065
Haikou|CN|2005|11032
Ludhiana|IN|3093|7587
Goiania|BR|-1672|-4930
Palembang|ID|-298|10475
Hiroshima|JP|3439|13244
Vadodara|IN|2231|7318
Kalyan|IN|1925|7316
Isfahan|IR|3270|5170
Tunis|TN|3680|1018
Valencia|VE|1023|-6798
Harare|ZW|-1782|3104
Luoyang|CN|3468|11247
Quito|EC|-21|-7850
Xiamen|CN|2445|11808
Antananarivo|MG|-1892|4752
Luzhou|CN|2888|10538
Pittsburgh|US|4043|-8000
Kobe|JP|3468|13517
Katowice|PL|5026|1902
Barranquilla|CO|1096|-7480
Agra|IN|2717|7802
Suzhou|CN|3130|12062|Jiangsu
Handan|CN|3658|11448
Conakry|GN|953|-1368
Minneapolis|US|4498|-9325
Nanning|CN|2282|10832
Multan|PK|3020|7146
Santiago|DO|1950|-7067
Kumasi|GH|669|-163
Shantou|CN|2337|11667
Phnom Penh|KH|1155|10492
Tijuana|MX|3250|-11708
Datong|CN|4008|11330
Vancouver|CA|4927|-12312
Daejeon|KR|3634|12743
Gujranwala|PK|3216|7419
Kuala Lumpur|MY|317|10170
Khulna|BD|2284|8956
San Juan|PR|1844|-6613
Liuzhou|CN|2428|10925
Fushun|CN|4187|12387
Baltimore|US|3930|-7662
Wuxi|CN|3158|12030
Gwangju|KR|3517|12691
Bursa|TR|4020|2907
Suining|CN|3053|10553
Karaj|IR|3580|5097
Hyderabad|PK|2538|6837
Anshan|CN|4112|12294
Yantai|CN|3753|12140
Xinyang|CN|3213|11407
Ad Damman|SA|2643|5010
Luan|CN|3175|11648
Bamako|ML|1265|-800
Faridabad|IN|2843|7732
Brisbane|AU|-2746|15304
Kampala|UG|32|3258
Nasik|IN|2000|7378
Brussels|BE|5083|433
Córdoba|AR|-3140|-6418
Kawasaki|JP|3553|13971
Jinxi|CN|4075|12083
San Antonio|US|2949|-9851
Makkah|SA|2143|3982
Ciudad Juárez|MX|3169|-10649
Semarang|ID|-697|11042
Kharkiv|UA|5000|3625
Pretoria|ZA|-2571|2823
Mannheim|DE|4950|847
Yaounde|CM|387|1152
Asansol|IN|2368|8698
Coimbatore|IN|1100|7695
Ningbo|CN|2988|12155
Tampa|US|2795|-8246
Tainan|TW|2300|12020
Maputo|MZ|-2596|3259
Manchester|GB|5350|-225
Meerut|IN|2900|7770
Davao|PH|711|12563
Tabriz|IR|3809|4630
Leon|MX|2115|-10170
Lusaka|ZM|-1542|2828
Vishakhapatnam|IN|1773|8330
Haiphong|VN|2083|10668
San Jose|US|3730|-12185
Yekaterinburg|RU|5685|6060
Ghaziabad|IN|2866|7741
Munich|DE|4813|1157
Ujungpandang|ID|-514|11943
Qiqihar|CN|4734|12399
Peshawar|PK|3401|7154
St. Louis|US|3864|-9024
Brazzaville|CG|-426|1528
Stockholm|SE|5935|1810
Turin|IT|4507|767
Varanasi|IN|2533|8300
Dubai|AE|2523|5528
Hohhot|CN|4082|11166
Long Beach|US|3379|-11816
Nizhny Novgorod|RU|5633|4400
Adana|TR|3699|3532
Shiraz|IR|2963|5257
Huainan|CN|3263|11698
Baotou|CN|4065|10982
Mosul|IQ|3635|4315
Maoming|CN|2192|11087
Ganzhou|CN|2592|11495
Novosibirsk|RU|5503|8296
Tripoli|LY|3289|1318
Portland|US|4552|-12268|Oregon
Perth|AU|-3196|11584
La Paz|BO|-1650|-6815
Kaduna|NG|1052|744
Rajkot|IN|2231|7080
Linyi|CN|3508|11833
Cilacap|ID|-772|10902
Cleveland|US|4147|-8169
Mandalay|MM|2197|9609
Zaozhuang|CN|3488|11757
Essen|DE|5145|702
Jabalpur|IN|2318|7996
Amritsar|IN|3164|7487
Las Vegas|US|3621|-11522|Nevada
Changzhou|CN|3178|11997
Prayagraj|IN|2545|8184
Xianyang|CN|3435|10871
Lubumbashi|CD|-1168|2748
Zhanjiang|CN|2120|11038
Indianapolis|US|3975|-8617
Fort Lauderdale|US|2614|-8014
Madurai|IN|992|7812
Lome|TG|613|122
Belgrade|RS|4482|2047
Nanyang|CN|3300|11253
Yerevan|AM|4018|4451
Marseille|FR|4329|538
Bhilai|IN|2122|8143
Almaty|KZ|4332|7692
Rosario|AR|-3295|-6067
Ft. Worth|US|3274|-9734
Doha|QA|2529|5153
Omsk|RU|5499|7340
København|DK|5568|1256
Mbuji-Mayi|CD|-615|2360
Changwon|KR|3522|12858
Santo Domingo|DO|1847|-6990
Suwon|KR|3726|12701
Chhatrapati Sambhajinagar|IN|1990|7532|Maharashtra
Kochi|IN|1002|7622
Kuwait|KW|2937|4798
Santos|BR|-2395|-4633
Amman|JO|3195|3593
Srinagar|IN|3410|7482
Tbilisi|GE|4173|4479
Baoding|CN|3887|11548
Sacramento|US|3858|-12147
Warangal|IN|1801|7958
Rostov|RU|4723|3971|Rostov
Abbottabad|PK|3415|7320
Sofia|BG|4268|2332
Ankang|CN|3268|10902
Zhuhai|CN|2228|11357
Port Harcourt|NG|481|701
Chelyabinsk|RU|5515|6144
Toluca|MX|1933|-9967
Dublin|IE|5333|-625
Kazan|RU|5575|4913
Calgary|CA|5108|-11408
Ulsan|KR|3555|12932
Medina|SA|2450|3958
Guatemala|GT|1462|-9053
Sholapur|IN|1767|7590
Vitória|BR|-2032|-4037
Maracay|VE|1025|-6760
Neijiang|CN|2958|10505
Vijayawada|IN|1652|8063
Columbus|US|3998|-8299|Ohio
Zhongli|TW|2497|12122
Maceio|BR|-962|-3573
Maanshan|CN|3173|11848
Samara|RU|5320|5015
Niteroi|BR|-2290|-4310
Changde|CN|2903|11168
Ouagadougou|BF|1237|-152
Leeds|GB|5383|-158
Adelaide|AU|-3493|13860
Kitakyushu|JP|3387|13082
Mogadishu|SO|207|4537
Songnam|KR|3744|12714
Huambo|AO|-1275|1576
Cologne|DE|5093|695
Milwaukee|US|4305|-8792
Fez|MA|3405|-500
Yichun|CN|2783|11440|Jiangxi
Natal|BR|-698|-6027|Amazonas
Ottawa|CA|4542|-7570
Weifang|CN|3672|11910
San Bernardino|US|3412|-11730
Cincinnati|US|3916|-8446
Ufa|RU|5479|5604
Shangqiu|CN|3445|11565
Barquisimeto|VE|1005|-6930
Xinyi|CN|3438|11835
Jodhpur|IN|2629|7302
Jamshedpur|IN|2279|8620
Seville|ES|3741|-598
Kansas City|US|3911|-9460|Missouri
Mudangiang|CN|4458|12959
The Hague|NL|5208|427
Oakland|US|3777|-12222
Sharjah|AE|2537|5541
Dnipropetrovsk|UA|4848|3500
Daqing|CN|4658|12500
Lyon|FR|4577|483
Chandigarh|IN|3072|7678
Ranchi|IN|2337|8533
Charlotte|US|3520|-8083
Da Nang|VN|1606|10825
Gaziantep|TR|3707|3738
Asuncion|PY|-2530|-5764
Jianmen|CN|3065|11316
Florence|IT|4378|1125
Qom|IR|3465|5095
Gwalior|IN|2623|7818
Nezahualcoyotl|MX|1941|-9903
Benin City|NG|634|562
Natal|BR|-578|-3524|Rio Grande do Norte
Baoshan|CN|2512|9915
Perm|RU|5800|5625
Benxi|CN|4133|12375
Sheffield|GB|5337|-150
Shangrao|CN|2847|11797
Managua|NI|1215|-8627
Austin|US|3027|-9774
Ahvaz|IR|3128|4872
Kelang|MY|302|10155
Jerusalem|IL|3178|3521
Monrovia|LR|631|-1080
Huaiyin|CN|3358|11903
Huaibei|CN|3395|11675
Xining|CN|3662|10177
Düsseldorf|DE|5122|678
Jacksonville|US|3033|-8167|Florida
Goyang|KR|3765|12684
Ikare|NG|753|576
Tegucigalpa|HN|1410|-8722
Xiantao|CN|3037|11344
Zigong|CN|2940|10478
Kathmandu|NP|2772|8532
Zhuzhou|CN|2783|11315
Hims|SY|3473|3672
Hengyang|CN|2688|11259
Hamamatsu|JP|3472|13773
Cartagena|CO|1040|-7551
Amsterdam|NL|5235|492
Lupanshui|CN|2659|10483
Edmonton|CA|5355|-11350
Glasgow|GB|5587|-425
Dushanbe|TJ|3856|6877
Duisburg|DE|5143|675
Zhucheng|CN|3599|11938
Bandar Lampung|ID|-545|10530|Lampung
Qinhuangdao|CN|3993|11962
Banghazi|LY|3212|2007
Mysuru|IN|1231|7666
Virginia Beach|US|3685|-7598
Aba|NG|510|735
Donetsk|UA|4800|3783
Kaifeng|CN|3485|11435
Basra|IQ|3051|4781
Thiruvananthapuram|IN|850|7695
Abuja|NG|908|753
Puch'on|KR|3750|12678
Xuanzhou|CN|3095|11876
Tiruchirappalli|IN|1081|7869
Cagayan de Oro|PH|845|12469
Bogor|ID|-657|10675
Marrakesh|MA|3163|-800
Yangquan|CN|3787|11357
Pingdingshan|CN|3373|11330
Padang|ID|-96|10036
Odessa|UA|4649|3071
Panama City|PA|897|-7953
Nova Iguacu|BR|-2274|-4347
Az Zarqa|JO|3207|3610
Duque de Caxias|BR|-2277|-4331
Hubballi|IN|1536|7513
Merida|MX|2097|-8962
Mombasa|KE|-404|3969
Yancheng|CN|3339|12013
Johor Bahru|MY|148|10373
Helsinki|FI|6018|2493
Ndjamena|TD|1211|1505
San Luis Potosi|MX|2217|-10100
Anyang|CN|3608|11435
Torreon|MX|2557|-10342
Port Elizabeth|ZA|-3397|2560
Mianyang|CN|3147|10477
Niamey|NE|1352|212
Kermanshah|IR|3438|4706
Mendoza|AR|-3288|-6882
Ulaanbaatar|MN|4792|10692
Yueyang|CN|2938|11310
Salem|IN|1167|7818
Quanzhou|CN|2490|11858
Xinxiang|CN|3532|11387
Bishkek|KG|4287|7459
Jullundur|IN|3133|7557
Guilin|CN|2528|11028
Jining|CN|3540|11655|Shandong
Newcastle|AU|-3285|15182
Saratov|RU|5158|4603
Chifeng|CN|4227|11895
Cebu|PH|1032|12390
Valencia|ES|3949|-40
Nantong|CN|3203|12083
Lingyuan|CN|4124|11940
Cochabamba|BO|-1741|-6617
Joao Pessoa|BR|-710|-3488
Bhubaneshwar|IN|2027|8583
Zhangjiakou|CN|4083|11493
Kigali|RW|-195|3006
Volgograd|RU|4871|4450
Rotterdam|NL|5192|448
Kingston|JM|1798|-7677
Baoji|CN|3438|10715
Heze|CN|3523|11545
Irbil|IQ|3618|4401
Kota|IN|2518|7583
Porto|PT|4115|-862
Nampo|KP|3877|12545
Bucaramanga|CO|713|-7313
Raleigh|US|3582|-7864
Queretaro|MX|2063|-10038
Callao|PE|-1207|-7713
Foshan|CN|2303|11312
Jiamusi|CN|4683|13035
Bareilly|IN|2835|7942
Jinzhou|CN|4112|12110
Aligarh|IN|2789|7806
Orlando|US|2851|-8138
Atal Nagar|IN|2123|8164
Yiyang|CN|2860|11233
Malang|ID|-798|11261
Arequipa|PE|-1642|-7153
Aden|YE|1278|4501
Vereeniging|ZA|-2665|2796
Fuyang|CN|3005|11995|Zhejiang
Palermo|IT|3813|1335
Xiangfan|CN|3202|11213
Aguascalientes|MX|2188|-10229
Djibouti|DJ|1160|4315
Mesa|US|3342|-11174
Lvov|UA|4983|2403
Auckland|NZ|-3685|17476
Montevideo|UY|-3486|-5617
Lódz|PL|5177|1945
Kraków|PL|5006|1996
Rajshahi|BD|2437|8861
Zaria|NG|1108|771
Moradabad|IN|2884|7876
Memphis|US|3512|-9000
Okayama|JP|3467|13392
Agadir|MA|3044|-962
Yangjiang|CN|2185|11197
Bhiwandi|IN|1935|7313
Dandong|CN|4014|12439
Quetta|PK|3022|6702
Chihuahua|MX|2864|-10608
Teresina|BR|-510|-4278
General Santos|PH|611|12517
Zhenjiang|CN|3222|11943
Vila Velha|BR|322|-5122|Amapá
Vila Velha|BR|-2037|-4032|Espírito Santo
Liaoyang|CN|4128|12318
Jos|NG|993|889
Mexicali|MX|3265|-11548
Bengbu|CN|3295|11733
Dhanbad|IN|2380|8642
Bacolod|PH|1063|12298
Fuxin|CN|4201|12166
Bangui|CF|437|1856
Jiaxing|CN|3077|12075
Cotonou|BJ|640|252
Albuquerque|US|3510|-10664
Zürich|CH|4738|855
Riga|LV|5695|2410
Oran|DZ|3571|-62
Cucuta|CO|792|-7252
Cheongju|KR|3664|12750
Tangier|MA|3575|-583
Konya|TR|3788|3248
San Salvador|SV|1371|-8920
Geneva|CH|4621|614
Lianyungang|CN|3460|11917
Zagreb|HR|4580|1600
Joinville|BR|-2632|-4884
New Haven|US|4133|-7290
Oslo|NO|5992|1075
Qingyuan|CN|2370|11303
Changzhi|CN|3618|11311
Pekanbaru|ID|56|10143
Maiduguri|NG|1185|1316
Nashville|US|3617|-8678
Antalya|TR|3689|3070
Nouakchott|MR|1809|-1598
Ilorin|NG|849|455
Yongzhou|CN|2623|11162
Kumamoto|JP|3280|13070
Bulawayo|ZW|-2017|2858
Kozhikode|IN|1125|7577
Culiacan|MX|2483|-10738
Sao Jose dos Campos|BR|-2320|-4588
Ansan|KR|3735|12686
Huzhou|CN|3087|12010
Langfang|CN|3952|11668
Yingkow|CN|4067|12228
Islamabad|PK|3370|7317
Can Tho|VN|1005|10577
Antwerpen|BE|5122|442
Enugu|NG|645|750
Huangshi|CN|3022|11510
Campo Grande|BR|-2045|-5462
Jiaozuo|CN|3525|11322
Shizuoka|JP|3499|13839
Jixi|CN|4530|13097
Acapulco|MX|1685|-9992
Taizz|YE|1360|4404
Warri|NG|552|576
Jaboatao|BR|-811|-3502
Jeonju|KR|3583|12714
Saltillo|MX|2542|-10100
Tucumán|AR|-2682|-6522
Yichang|CN|3070|11128
West Palm Beach|US|2675|-8012
Shaoguan|CN|2480|11358
Gorakhpur|IN|2675|8338
Tucson|US|3220|-11089
Birmingham|US|3353|-8682
Tulsa|US|3612|-9593
Amravati|IN|2095|7777
Pingxiang|CN|2762|11385|Jiangxi
Puyang|CN|3570|11498
Providence|US|4182|-7141
Sarajevo|BA|4385|1838
Santo Andre|BR|-2365|-4653
Vientiane|LA|1797|10260
Chisinau|MD|4701|2886
Muscat|OM|2361|5859
Oklahoma City|US|3547|-9752
Olinda|BR|-800|-3485
Wuhu|CN|3135|11837
El Paso|US|3178|-10651
Tirana|AL|4133|1982
Hegang|CN|4740|13037
Zunyi|CN|2770|10692
Yinchuan|CN|3847|10627
Ipoh|MY|460|10106
Kolhapur|IN|1670|7422
Leshan|CN|2957|10373
As Sulaymaniyah|IQ|3556|4543
Shiyan|CN|3257|11078
Ashgabat|TM|3795|5838
Bien Hoa|VN|1097|10683
Zhanyi|CN|2560|10382
Samarqand|UZ|3967|6694
Tianshui|CN|3460|10592
Tolyatti|RU|5348|4953
Sokoto|NG|1306|524
Buffalo|US|4288|-7888
Lilongwe|MW|-1398|3378
Dehra Dun|IN|3032|7805
Malacca|MY|221|10225
Norfolk|US|3685|-7628|Virginia
Hue|VN|1647|10758
Omaha|US|4124|-9601
San Jose|CR|994|-8408
Diyarbakir|TR|3792|4023
Toulouse|FR|4362|145
Liverpool|GB|5342|-292
Haifa|IL|3282|3498
Yulin|CN|2263|11015|Guangxi
Yogyakarta|ID|-778|11038
Lille|FR|5065|308
Bremen|DE|5308|880
Ciudad Guayana|VE|837|-6262
Nice|FR|4372|727
Jammu|IN|3271|7485
Al Hudaydah|YE|1480|4295
Genoa|IT|4441|893
Wroclaw|PL|5111|1703
Meknes|MA|3390|-556
Pietermaritzburg|ZA|-2961|3039
Hamilton|CA|4325|-7983
Dahuk|IQ|3687|4300
Jhansi|IN|2545|7856
Hannover|DE|5237|972
Morelia|MX|1973|-10119
Nürnberg|DE|4945|1108
Jinhua|CN|2912|11965
Zamboanga|PH|692|12208
Bilbao|ES|4325|-293
Kananga|CD|-589|2240
Kandahar|AF|3161|6569
Krasnoyarsk|RU|5601|9287
An Najaf|IQ|3200|4434
Taizhou|CN|3249|11990
Xiangtai|CN|3705|11450
Naha|JP|2621|12767
Izhevsk|RU|5685|5323
Belagavi|IN|1587|7451
Cardiff|GB|5150|-323
Winnipeg|CA|4988|-9717
Cuiaba|BR|-1557|-5608
Copenhagen|DK|5568|1257
Pointe-Noire|CG|-477|1188
Sangli|IN|1686|7458
Krasnodar|RU|4502|3900
Zaporizhzhya|UA|4786|3518
Anshun|CN|2625|10593
Namangan|UZ|4100|7167
Shaoxing|CN|3000|12057
Gdansk|PL|5436|1864
Poznan|PL|5241|1690
Mangaluru|IN|1290|7485
Louisville|US|3823|-8575
Hamhung|KP|3991|12755
Ogbomosho|NG|813|424
Al Hillah|SA|2349|4676
At Taif|SA|2126|4038
Asmara|ER|1533|3893
Cuernavaca|MX|1892|-9924
Thessaloniki|GR|4070|2289
Dortmund|DE|5153|745
Bandjarmasin|ID|-333|11458
Aracaju|BR|-1090|-3712
Nanded|IN|1917|7730
Chiclayo|PE|-676|-7984
Vladivostok|RU|4313|13191
Bannu|PK|3299|7060
Blantyre|MW|-1579|3499
San Pedro Sula|HN|1550|-8803
Hsinchu|TW|2482|12098
Prague|CZ|5008|1447
Abu Dhabi|AE|2447|5437
Cuttack|IN|2047|8589
Hachioji|JP|3566|13933
Honolulu|US|2131|-15786
Pontianak|ID|-3|10932
Bridgeport|US|4118|-7320
Tampico|MX|2230|-9787
Icel|TR|3680|3462
Urmia|IR|3753|4500
Québec|CA|4684|-7125
Zahedan|IR|2950|6083
Samsun|TR|4128|3634
Veracruz|MX|1918|-9616
Shihezi|CN|4430|8603
Tongliao|CN|4362|12227
Irkutsk|RU|5232|10425
Yibin|CN|2877|10457
Salt Lake City|US|4078|-11193
Kryvyy Rih|UA|4793|3334
Ulyanovsk|RU|5433|4841
Yaroslavl|RU|5762|3987
Voronezh|RU|5173|3927
Barnaul|RU|5335|8375
Denpasar|ID|-865|11522
Florianopolis|BR|-2758|-4852
Macau|MO|2220|11355
Beihai|CN|2148|10910
Tarsus|TR|3692|3488
Nottingham|GB|5297|-117
Malegaon|IN|2056|7453
Wuppertal|DE|5125|717
Khabarovsk|RU|4845|13512
Naypyidaw|MM|1977|9612
Kayseri|TR|3873|3549
Bur Said|EG|3126|3229
Sorocaba|BR|-2349|-4747
Kisangani|CD|52|2522
Utsunomiya|JP|3655|13987
Novo Hamburgo|BR|-2971|-5114
Kerman|IR|3030|5708
Rizhao|CN|3543|11945
Surakarta|ID|-756|11083
Kirkuk|IQ|3547|4439
Mar del Plata|AR|-3800|-5758
Raurkela|IN|2223|8483
Hermosillo|MX|2910|-11095
Ajmer|IN|2645|7464
Bahawalpur|PK|2939|7167
Dresden|DE|5105|1375
Richmond|US|3755|-7745|Virginia
Concepcion|CL|-3683|-7305
Zaragoza|ES|4165|-89
Hungnam|KP|3982|12762
Luxor|EG|2570|3265
Tiruppur|IN|1108|7733
Salerno|IT|4068|1477
Jiujiang|CN|2973|11598
Arlington|US|3268|-9702
Rasht|IR|3730|4963
Qui Nhon|VN|1378|10918
Sargodha|PK|3209|7267
Nellore|IN|1444|7999
Fresno|US|3675|-11977
El Mansura|EG|3105|3138
Yangzhou|CN|3240|11943
Xingyi|CN|2509|10489
Malaga|ES|3672|-442
Yuci|CN|3768|11273
Kuching|MY|153|11033
Niigata|JP|3792|13904
Newcastle|GB|5500|-160
Kagoshima|JP|3159|13056
Linfen|CN|3608|11152
Jiangmen|CN|2258|11308
Orenburg|RU|5178|5511
Libreville|GA|39|946
Guntur|IN|1633|8045
Novokuznetsk|RU|5375|8711
Siping|CN|4317|12433
Cangzhou|CN|3832|11687
Constantine|DZ|3636|660
New Orleans|US|3000|-9004
Makhachkala|RU|4298|4750
Matsuyama|JP|3385|13277
Vilnius|LT|5468|2532
São Luís|BR|-252|-4427
Leipzig|DE|5134|1241
St. Petersburg|US|2777|-8268
Trujillo|PE|-812|-7902
Göteborg|SE|5775|1200
Ribeirao Preto|BR|-2117|-4783
Soledad|CO|1092|-7477
Jincheng|CN|3550|11283
Al Hufuf|SA|2535|4959
Hartford|US|4177|-7268
Bordeaux|FR|4485|-60
Siliguri|IN|2672|8846
Vinh|VN|1870|10568
Bouake|CI|769|-503
St. Paul|US|4494|-9308
Bhavnagar|IN|2178|7213
Shashi|CN|3032|11223
Beira|MZ|-1982|3487
Xinyu|CN|2780|11493
Kanazawa|JP|3656|13664
Pereira|CO|481|-7568
Braga|PT|4155|-842
Matola|MZ|-2597|3246
Ryazan|RU|5462|3972
Lipetsk|RU|5262|3964
Tabuk|SA|2838|3655
Santiago de Cuba|CU|2003|-7582
Puerto la Cruz|VE|1017|-6468
Basel|CH|4758|759
Guwahati|IN|2616|9177
Shuangyashan|CN|4667|13135
Chongjin|KP|4178|12979
Suez|EG|3000|3255
Trabzon|TR|4098|3972
Bonn|DE|5072|708
Londrina|BR|-2330|-5118
Uyo|NG|501|785
Astrakhan|RU|4635|4805
Changhua|TW|2407|12051
Wuwei|CN|3793|10264
Kota Kinabalu|MY|598|11611
Bristol|GB|5145|-258
Penza|RU|5318|4500
Eskisehir|TR|3979|3053
Jian|CN|2713|11500
Port Sudan|SD|1962|3722
Cancun|MX|2117|-8683
Tirunelveli|IN|873|7769
Stockton|US|3796|-12129
Andijon|UZ|4079|7234
Shivamogga|IN|1393|7556
Bikaner|IN|2803|7333
Liaoyuan|CN|4290|12513
Ujjain|IN|2319|7579
Saharanpur|IN|2997|7755
Uberlandia|BR|-1890|-4828
Salta|AR|-2478|-6542
Skopje|MK|4200|2143
Albany|US|4267|-7382|New York
Rochester|US|4317|-7762|New York
Bhatpara|IN|2285|8852
Catania|IT|3750|1508
Gulbarga|IN|1735|7682
Ife|NG|748|456
Fargona|UZ|4039|7178
Shah Alam|MY|307|10155
Al Hillah|IQ|3247|4442
Tula|RU|5420|3763
Utrecht|NL|5210|512
Gaza|PS|3153|3445
Sialkote|PK|3252|7456
Nagano|JP|3665|13817
Oyo|NG|785|393
Palu|ID|-91|11983
Tuxtla Gutierrez|MX|1675|-9315
Samarinda|ID|-50|11715
Saarbrucken|DE|4925|697
Liege|BE|5063|558
Karbala|IQ|3261|4402
Homyel|BY|5243|3100
Sao Jose dos Pinhais|BR|-2557|-4918
Kashgar|CN|3948|7597
Tomsk|RU|5649|8498
Jiaojing|CN|2868|12145
Irbid|JO|3255|3585
Kemerovo|RU|5534|8609
Ismailia|EG|3059|3226
Edinburgh|GB|5595|-322
Anqing|CN|3050|11705
Davangere|IN|1447|7592
Mazatlán|MX|2902|-11013
Canoas|BR|-2992|-5118
Akola|IN|2071|7701
Dayton|US|3975|-8420
Kikwit|CD|-503|1885
Mwanza|TZ|-252|3293
Juiz de Fora|BR|-2177|-4337
Butterworth|MY|542|10040
Iligan|PH|817|12422
Moshi|TZ|-334|3734
Arak|IR|3408|4970
Chandrapur|IN|1997|7930
Naberezhnyye Chelny|RU|5570|5232
Tyumen|RU|5714|6553
Tacoma|US|4721|-12252
Bloemfontein|ZA|-2912|2623
Zhaotang|CN|2732|10372
Kenitra|MA|3427|-658
Reynosa|MX|2608|-9830
Naga|PH|1362|12318
Kirov|RU|5859|4967|Kirov
Durango|MX|2403|-10467
Hengshui|CN|3772|11570
Bello|CO|633|-7557
Yazd|IR|3192|5437
Malatya|TR|3837|3830
Matamoros|MX|2588|-9750
Akron|US|4107|-8152
Taoyuan|TW|2499|12131
Manado|ID|148|12485
Xuchang|CN|3402|11382
Feira de Santana|BR|-1225|-3897
Chlef|DZ|3617|132
Iquitos|PE|-375|-7325
Ado Ekiti|NG|763|522
Panzhihua|CN|2655|10173
Udaipur|IN|2460|7373
Wiesbaden|DE|5008|825
Cheboksary|RU|5613|4725
Keelung|TW|2513|12173
Yichun|CN|4770|12890|Heilongjiang
Abeokuta|NG|716|335
La Plata|AR|-3491|-5796
Chaoyang|CN|4155|12042
Balikpapan|ID|-125|11683
Hamah|SY|3515|3673
Shymkent|KZ|4232|6960
Al Ladhiqiyah|SY|3554|3578
Herat|AF|3433|6217
Jambi|ID|-159|10361
Xalapa|MX|1953|-9692
Otsu|JP|3501|13587
Tongling|CN|3095|11778
Khomeini Shahr|IR|3270|5147
Bilaspur|IN|2209|8216
Tuticorin|IN|882|7813
Pohang|KR|3602|12937
Valparaiso|CL|-3305|-7162
Stamford|US|4105|-7354
San Juan|AR|-3155|-6852
Macapá|BR|3|-5105
Katsina|NG|1299|760
Aurora|US|3970|-10481|Colorado
Sanliurfa|TR|3717|3879
Gold Coast|AU|-2808|15345
Bologna|IT|4450|1134
Likasi|CD|-1097|2678
Colorado Springs|US|3886|-10479
Bryansk|RU|5326|3443
An Nasiriyah|IQ|3104|4627
Bytom|PL|5035|1891
Chaozhou|CN|2368|11663
Gaya|IN|2480|8500
Arak|DZ|2528|375
Hisar|IN|2917|7573
Dhule|IN|2090|7477
Nagasaki|JP|3276|12989
Zhaoqing|CN|2305|11245
Akure|NG|725|520
Asyut|EG|2719|3118
Freetown|SL|847|-1323
Bamenda|CM|596|1015
Kolwezi|CD|-1072|2547
Sukkur|PK|2771|6885
Ivanovo|RU|5701|4101
Luohe|CN|3357|11403
Santa Marta|CO|1125|-7420
Knoxville|US|3597|-8392
Mariupol|UA|4710|3756
Ibague|CO|444|-7523
Lowell|US|4263|-7132
Thai Nguyen|VN|2160|10583
Zhuozhou|CN|3954|11579
Bandar-e-Abbas|IR|2720|5627
Jundiai|BR|-2320|-4688
Kitchener|CA|4345|-8050
Ardabil|IR|3825|4830
Oita|JP|3324|13160
Mataram|ID|-858|11614
Luhansk|UA|4857|3933
Bari|IT|4111|1687
Oshogbo|NG|777|456
Shuozhou|CN|3930|11242
Yanji|CN|4288|12951
Oujda|MA|3469|-191
Douma|SY|3358|3640
Binjai|ID|362|9850
Gifu|JP|3542|13676
Tanta|EG|3079|3100
Sohag|EG|2655|3170
Syracuse|US|4305|-7615
Yining|CN|4390|8135
Kaliningrad|RU|5470|2050
Pasay City|PH|1455|12100
Kitwe|ZM|-1281|2822
Jalalabad|AF|3444|7044
Awka|NG|621|707
Sunchon|KP|3942|12594
Mawlamyine|MM|1650|9767
Jingmen|CN|3103|11210
Quetzaltenango|GT|1483|-9152
Qazvin|IR|3627|5000
Vina del Mar|CL|-3303|-7154
Kursk|RU|5174|3619
Bratislava|SK|4815|1712
Leicester|GB|5263|-113
Qitaihe|CN|4580|13085
Bradford|GB|5380|-175
Oaxaca|MX|1708|-9667
Oceanside|US|3322|-11733
Ostrava|CZ|4983|1825
Southend-on-Sea|GB|5155|72
Bissau|GW|1187|-1560
Wakayama|JP|3422|13517
Villahermosa|MX|1800|-9290
Ndola|ZM|-1300|2865
Buraydah|SA|2637|4396
Huancayo|PE|-1208|-7520
Kollam|IN|890|7657
Santa Fe|AR|-3162|-6069
Tsu|JP|3472|13652
Kota Baharu|MY|612|10223
Niyala|SD|1206|2489
Erzurum|TR|3992|4129
Xuanhua|CN|4059|11502
Ballari|IN|1515|7692
Szczecin|PL|5342|1453
Comilla|BD|2347|9117
Samut Prakan|TH|1361|10061
Pasadena|US|2966|-9515|Texas
Toledo|US|4167|-8358
Zanzibar|TZ|-616|3920
Blida|DZ|3642|283
Iloilo|PH|1071|12255
Chiayi|TW|2348|12044
Nampula|MZ|-1514|3929
San Lorenzo|PY|-2534|-5752
Hail|SA|2752|4170
Southampton|GB|5090|-140
Jingdezhen|CN|2927|11718
Izmit|TR|4078|2993
Campina Grande|BR|-723|-3588
Tver|RU|5686|3589
Dezhou|CN|3745|11630
Ahmednagar|IN|1911|7475
Campos|BR|-2175|-4132
Brno|CZ|4920|1661
Wichita|US|3772|-9733
Qaraghandy|KZ|4988|7312
Chengde|CN|4096|11793
Caxias do Sul|BR|-2918|-5117
Zhoukou|CN|3363|11463
Putian|CN|2543|11902
Kahramanmaras|TR|3761|3695
Nizhny Tagil|RU|5792|5997
Changping|CN|4022|11619
Port Louis|MU|-2017|5750
Damanhûr|EG|3105|3047
Pasto|CO|121|-7728
Kassala|SD|1546|3639
Linxia|CN|3560|10320
Resistencia|AR|-2746|-5899
Murcia|ES|3798|-113
Bengkulu|ID|-380|10227
Longyan|CN|2518|11703
Bakersfield|US|3537|-11902
Tallinn|EE|5943|2473
Foz do Iguacu|BR|-2552|-5453
Manizales|CO|506|-7552
Bydgoszcz|PL|5312|1801
Garoua|CM|930|1339
Mazar-e Sharif|AF|3670|6710
Sfax|TN|3475|1072
Shillong|IN|2557|9188
Las Palmas|ES|2810|-1543
Larkana|PK|2756|6821
Kaunas|LT|5495|2388
El Minya|EG|2809|3075
Glendale|US|3358|-11220
Joliet|US|4153|-8811
Belfast|GB|5460|-596
Grand Rapids|US|4296|-8567
San Mateo|US|3756|-12231
Latur|IN|1840|7657
Bhagalpur|IN|2523|8698
Mazatlan|MX|2322|-10642
Barcelona|VE|1013|-6472
Sheikhu Pura|PK|3172|7399
Trablous|LB|3442|3587
Jeju|KR|3351|12652
Piura|PE|-521|-8063
Manama|BH|2624|5058
Baguio City|PH|1643|12057
Pingtung|TW|2268|12048
Sao Jose do Rio Preto|BR|-2080|-4939
Bhilwara|IN|2535|7464
Lublin|PL|5125|2257
Nantes|FR|4721|-159
Maturin|VE|975|-6317
Strasbourg|FR|4858|775
Weihai|CN|3750|12210
Tokushima|JP|3407|13455
Annaba|DZ|3692|776
Longxi|CN|3505|10464
Zanjan|IR|3667|4850
Calabar|NG|496|833
Ulan Ude|RU|5182|10762
Wuzhou|CN|2348|11132
Tumakuru|IN|1333|7710
Surgut|RU|6126|7343
Gliwice|PL|5033|1867
Rahim Yar Khan|PK|2842|7030
Volta Redonda|BR|-2252|-4409
Mykolayiv|UA|4697|3198
Khorramabad|IR|3348|4835
Al Ayn|AE|2423|5574
Baicheng|CN|4562|12282
Kurnool|IN|1583|7803
Stavropol|RU|4505|4198
Muzaffarnagar|IN|2949|7770
Vinnytsya|UA|4923|2848
Oshawa|CA|4388|-7885
Coventry|GB|5242|-150
Villavicencio|CO|415|-7363
Nha Trang|VN|1225|10917
Nizamabad|IN|1867|7810
Sevastapol|UA|4460|3346
Bobo Dioulasso|BF|1118|-429
Nazret|ET|855|3927
Celaya|MX|2053|-10080
Banda Aceh|ID|555|9532
Vancouver|US|4563|-12264
Mahilyow|BY|5390|3032
Pasuruan|ID|-763|11290
Tamale|GH|940|-84
Denizli|TR|3777|2908
San Cristobal|VE|777|-7225
Sandakan|MY|584|11811
Jhang|PK|3128|7232
Asahikawa|JP|4376|14238
Vladikavkaz|RU|4305|4467
London|CA|4297|-8125
Yaan|CN|2998|10308
Corrientes|AR|-2749|-5881
Irapuato|MX|2067|-10150
Beni Suef|EG|2908|3109
Rajapalaiyam|IN|942|7758
East London|ZA|-3297|2787
Ad Diwaniyah|IQ|3199|4492
Kawagoe|JP|3592|13949
Gent|BE|5103|370
Americana|BR|-2275|-4733
Horlivka|UA|4830|3805
Tieling|CN|4230|12382
Seremban|MY|271|10194
Cusco|PE|-1353|-7197
Manukau|NZ|-3700|17488
Vigo|ES|4222|-873
Gary|US|4158|-8733
Astana|KZ|5118|7143
Posadas|AR|-2736|-5589
Al Amarah|IQ|3184|4715
Parbhani|IN|1927|7676
Chimbote|PE|-907|-7857
Vitsyebsk|BY|5519|3019
Muzaffarpur|IN|2612|8538
Taraz|KZ|4290|7136
Sanandaj|IR|3530|4702
Bujumbura|BI|-338|2936
El Obeid|SD|1318|3022
Bukavu|CD|-251|2884
Chitungwiza|ZW|-1800|3110
Batangas|PH|1378|12102
Karlsruhe|DE|4900|840
Arusha|TZ|-336|3667
Mathura|IN|2750|7767
Mymensingh|BD|2475|9038
Baishan|CN|4190|12643
Takamatsu|JP|3434|13404
Piracicaba|BR|-2271|-4764
Kurgan|RU|5546|6534
Orel|RU|5297|3607
Patiala|IN|3032|7638
Toyama|JP|3670|13723
Belgorod|RU|5063|3660
Taubate|BR|-2302|-4556
Sochi|RU|4359|3973
Van|TR|3850|4340
Iasi|RO|4717|2757
Stoke|GB|5300|-218
Guangyuan|CN|3243|10587
Brahmapur|IN|1932|8480
Iwaki|JP|3706|14089
Portsmouth|GB|5080|-108
Kochi|JP|3356|13354
Laredo|US|2751|-9951
Baton Rouge|US|3046|-9114
Wonsan|KP|3916|12743
Khmelnytskyy|UA|4942|2700
Camaguey|CU|2138|-7792
Rouen|FR|4943|108
Sarasota|US|2734|-8253
Brighton|GB|5083|-17
Cabimas|VE|1043|-7145
Piraiévs|GR|3795|2370
Ciudad del Este|PY|-2552|-5462
Safi|MA|3232|-924
Kuantan|MY|383|10332
Shahjahanpur|IN|2788|7991
Legazpi|PH|1317|12375
Maringa|BR|-2341|-5193
Palma|ES|3957|265
Plovdiv|BG|4215|2475
Makiyivka|UA|4803|3797
Sikar|IN|2761|7514
Neiva|CO|293|-7533
Al Kut|IQ|3249|4583
Ipatinga|BR|-1948|-4252
Ciudad Bolivar|VE|810|-6360
New Delhi|IN|2860|7720
Miyazaki|JP|3192|13142
Kuala Terengganu|MY|533|10312
Santiago del Estero|AR|-2778|-6427
Rohtak|IN|2890|7658
Pavlodar|KZ|5230|7695
Dezful|IR|3238|4847
Sunderland|GB|5492|-138
Abadan|IR|3033|4828
Armenia|CO|453|-7568
Angeles|PH|1515|12055
Vladimir|RU|5613|4041
Najran|SA|1751|4413
Gomez Palacio|MX|2557|-10350
Maebashi|JP|3639|13907
Kaluga|RU|5452|3627
Granada|ES|3716|-359
Covington|US|3908|-8451
Nakuru|KE|-28|3607
Smolensk|RU|5478|3205
Bielefeld|DE|5203|853
El Faiyum|EG|2931|3084
Pachuca|MX|2017|-9873
Greensboro|US|3607|-7980
Aksu|CN|4115|8025
Holguin|CU|2089|-7626
Timisoara|RO|4576|2122
Augsburg|DE|4835|1090
Magnitogorsk|RU|5342|5898
Medani|SD|1440|3352
San Luis|AR|-3330|-6635
Bauru|BR|-2233|-4908
Antsirabe|MG|-1985|4703
La Coruña|ES|4333|-842
Firozabad|IN|2715|7839
Kisumu|KE|-9|3475
Volzhskiy|RU|4879|4477
Simferopol|UA|4495|3410
Hatay|TR|3623|3612
Kaesong|KP|3796|12656
Viet Tri|VN|2133|10543
Pucallpa|PE|-837|-7453
Rajamahendravaram|IN|1703|8179
Qarshi|UZ|3887|6580
Eindhoven|NL|5143|550
Gijon|ES|4353|-567
Los Teques|VE|1042|-6702
Mengzi|CN|2336|10341
Saransk|RU|5417|4518
Wafangdian|CN|3963|12200
Bukittinggi|ID|-30|10036
Galati|RO|4546|2805
Koriyama|JP|3741|14038
Poltava|UA|4957|3457
Yeosu|KR|3474|12775
Semey|KZ|5043|8028
Yoshkar Ola|RU|5664|4787
Barddhaman|IN|2325|8786
Ganca|AZ|4068|4635
Gujrat|PK|3258|7408
Misratah|LY|3238|1510
Craiova|RO|4433|2383
Allentown|US|4060|-7550
Akita|JP|3971|14009
Cordoba|ES|3788|-477
Mardan|PK|3420|7204
Verona|IT|4544|1099
Mito|JP|3637|14048
Montes Claros|BR|-1672|-4386
Tepic|MX|2151|-10488
Cluj-Napoca|RO|4679|2360
Valladolid|ES|4165|-475
Pelotas|BR|-3175|-5233
Chiang Mai|TH|1880|9898
Jember|ID|-817|11369
Al Kharj|SA|2416|4731
Berkeley|US|3787|-12227
Tawau|MY|427|11790
Valledupar|CO|1048|-7325
Riverside|US|3394|-11740
Spanish Town|JM|1798|-7695
Kingston upon Hull|GB|5375|-33
Tlaxcala|MX|1932|-9823
Rampur|IN|2882|7902
Alicante|ES|3835|-48
Wellington|NZ|-4130|17478
Tambov|RU|5273|4143
Osh|KG|4054|7279
Antofagasta|CL|-2365|-7040
Christchurch|NZ|-4354|17263
Bournemouth|GB|5073|-190
Archangel|RU|6457|4055
Morioka|JP|3972|14113
Al Mubarraz|SA|2543|4957
Sungai Petani|MY|565|10048
Chernihiv|UA|5150|3130
Brasov|RO|4565|2561
Chita|RU|5206|11347
Thies|SN|1481|-1693
Kakinada|IN|1697|8224
Panipat|IN|2940|7697
Everett|US|4796|-12220
Khujand|TJ|4029|6962
Halifax|CA|4465|-6360
Bafoussam|CM|549|1041
Kasur|PK|3113|7446
Naltchik|RU|4350|4362
Sumy|UA|5092|3478
Porto Velho|BR|-875|-6390
Bhuj|IN|2325|6981
Hakodate|JP|4179|14074
Harrisburg|US|4027|-7688
Huizhou|CN|2308|11440
Bialystok|PL|5315|2317
Sagar|IN|2385|7875
Montpellier|FR|4361|387
Cumana|VE|1045|-6418
Springfield|US|4212|-7258|Massachusetts
Des Moines|US|4158|-9362
Sakarya|TR|4077|3040
Blumenau|BR|-2692|-4909
Mirput Khas|PK|2553|6901
Eldoret|KE|52|3527
Hrodna|BY|5368|2383
Cherkasy|UA|4943|3207
Rangpur|BD|2575|8928
Constanta|RO|4420|2861
Zagazig|EG|3058|3152
Heidelberg|DE|4942|870
Ljubljana|SI|4606|1451
Ar Ramadi|IQ|3342|4330
Oskemen|KZ|4999|8261
Gdynia|PL|5452|1853
Bukhara|UZ|3978|6443
Alwar|IN|2755|7660
Shache|CN|3843|7725
Cuenca|EC|-290|-7900
Aomori|JP|4083|14071
Franca|BR|-2053|-4739
Canberra|AU|-3528|14913
Ca Mau|VN|918|10515
Newark|US|4070|-7417
Meizhou|CN|2430|11612
Petropolis|BR|-2251|-4320
Middlesbrough|GB|5458|-123
Santa Cruz de Tenerife|ES|2847|-1625
Bahia Blanca|AR|-3874|-6227
Welkom|ZA|-2797|2673
Fukushima|JP|3774|14047
Anapolis|BR|-1632|-4896
Zhytomyr|UA|5025|2866
Kherson|UA|4663|3260
Kaolack|SN|1415|-1610
Shahrisabz|UZ|3906|6683
Hulan Ergi|CN|4721|12361
Aswan|EG|2409|3290
Alor Setar|MY|611|10037
Sukabumi|ID|-691|10690
Batman|TR|3789|4114
Madison|US|4307|-8940
Dayr az Zawr|SY|3533|4013
Pematangsiantar|ID|296|9906
Merida|VE|840|-7113
Chemnitz|DE|5083|1292
Setif|DZ|3618|540
Bejaia|DZ|3676|507
Kosti|SD|1317|3266
Aizawl|IN|2371|9272
Aurora|US|4177|-8830|Illinois
Monteria|CO|876|-7589
Grenoble|FR|4518|572
Ciudad Obregon|MX|2747|-10992
Charleroi|BE|5042|445
Spokane|US|4767|-11742
Ciudad Victoria|MX|2372|-9913
Vitoria da Conquista|BR|-1485|-4084
Sumqayt|AZ|4058|4963
Ratlam|IN|2335|7503
Nakhon Ratchasima|TH|1500|10210
Murmansk|RU|6897|3310
Elazig|TR|3868|3923
Ponta Grossa|BR|-2509|-5016
Qoqon|UZ|4054|7094
Tasikmalaya|ID|-733|10821
Bijapur|IN|1684|7571
Venice|IT|4544|1233
Kupang|ID|-1018|12358
Hangu|CN|3923|11778
Talcahuano|CL|-3672|-7312
San Sebastián|ES|4332|-198
Victoria|CA|4843|-12335
Jining|CN|4103|11308|Nei Mongol
Metairie|US|2998|-9015
Modesto|US|3766|-12099
Batna|DZ|3557|617
Heyuan|CN|2373|11468
Tirupati|IN|1365|7942
Qena|EG|2615|3272
Port Moresby|PG|-946|14719
Chernivtsi|UA|4831|2592
Porto-Novo|BJ|648|262
Brest|BY|5210|2370
Metz|FR|4912|618
Olongapo|PH|1483|12028
Cherepovets|RU|5914|3791
Windhoek|NA|-2257|1708
Malmö|SE|5558|1303
Reno|US|3953|-11982
Linz|AT|4832|1429
Windsor|CA|4233|-8303|Ontario
Pakalongan|ID|-688|10967
Fort Wayne|US|4108|-8513
Umuahia|NG|553|749
Komsomolsk na Amure|RU|5055|13702
Bago|MM|1732|9651
Hamadan|IR|3480|4852
Mokpo|KR|3481|12640
Sari|IR|3655|5310
Yamagata|JP|3827|14032
Toulon|FR|4313|592
Ica|PE|-1407|-7573
Gorgan|IR|3683|5448
Mbeya|TZ|-889|3343
Iksan|KR|3594|12695
Barinas|VE|860|-7025
Tacna|PE|-1800|-7025
Birjand|IR|3288|5922
Maroua|CM|1060|1432
Aktobe|KZ|5028|5717
Gombe|NG|1029|1117
Adapazari|TR|4080|3042
Coatzacoalcos|MX|1812|-9442
Popayan|CO|242|-7661
San Salvador de Jujuy|AR|-2418|-6530
Nonthaburi|TH|1383|10048
Karimnagar|IN|1846|7911
Reading|GB|5147|-98
Rio Branco|BR|-997|-6780
Etawah|IN|2679|7901
Columbia|US|3404|-8090|South Carolina
Durham|US|3600|-7892
Kostroma|RU|5777|4094
Hampton|US|3703|-7635
Ondo|NG|709|484
Damaturu|NG|1175|1197
Nuevo Laredo|MX|2750|-9955
Taganrog|RU|4723|3892
Gorontalo|ID|55|12307
Hat Yai|TH|700|10047
Kanggye|KP|4097|12660
Chuxiong|CN|2504|10155
Cirebon|ID|-673|10857
Charleston|US|3279|-7999|South Carolina
Long Xuyen|VN|1038|10542
Sanya|CN|1826|10950
Münster|DE|5197|762
Xichang|CN|2788|10230
Rivne|UA|5062|2625
Tongchuan|CN|3508|10903
Rach Gia|VN|1002|10509
Bidar|IN|1792|7752
Anchorage|US|6122|-14990
Temuco|CL|-3873|-7258
Borujerd|IR|3392|4880
Encarnacion|PY|-2735|-5587
Vologda|RU|5921|3992
Kiel|DE|5433|1013
Chenzhou|CN|2580|11303
Uruapan|MX|1942|-10207
Suihua|CN|4663|12698
Sonipat|IN|2900|7702
Dire Dawa|ET|959|4186
Yuxi|CN|2438|10257
Podolsk|RU|5538|3753
Corpus Christi|US|2774|-9740
Cranbourne|AU|-3810|14528
Balikesir|TR|3965|2789
Georgetown|GY|680|-5817
Kashan|IR|3398|5158
Hafar al Batin|SA|2843|4596
Minna|NG|962|655
Haarlem|NL|5238|463
Phan Thiet|VN|1093|10810
Miami Beach|US|2581|-8013
Buon Me Thuot|VN|1267|10805
Petrozavodsk|RU|6185|3428
Fuyu|CN|4518|12482
Kohat|PK|3360|7143
Mbale|UG|109|3417
Buenaventura|CO|387|-7705
Sivas|TR|3975|3703
Sousse|TN|3583|1063
Varna|BG|4322|2790
Makurdi|NG|773|853
Guantanamo|CU|2015|-7521
Lexington|US|3805|-8450
Columbia|US|3895|-9233|Missouri
Hebi|CN|3595|11422
Bauchi|NG|1031|984
Thu Dau Mot|VN|1097|10665
Imphal|IN|2480|9395
Lincoln|US|4082|-9668
Elgin|US|4204|-8829
Jessore|BD|2317|8920
San Bernardo|CL|-3360|-7070
Gunsan|KR|3598|12672
Kirovohrad|UA|4850|3226
McAllen|US|2620|-9823
Nam Dinh|VN|2042|10620
Hapur|IN|2874|7776
Graz|AT|4708|1541
Morogoro|TZ|-682|3766
Prokopyevsk|RU|5390|8671
Chimoio|MZ|-1912|3347
Kassel|DE|5130|950
Varzea Grande|BR|-1565|-5614
Boise|US|4361|-11623
Hosapete|IN|1528|7638
Itajai|BR|-2690|-4868
Fukui|JP|3607|13622
Linchuan|CN|2797|11636
Limeira|BR|-2255|-4740
Wonju|KR|3736|12794
Raichur|IN|1621|7736
Ternopil|UA|4954|2558
Braunschweig|DE|5225|1050
Maseru|LS|-2932|2748
Sincelejo|CO|929|-7538
Mirzapur|IN|2515|8257
Plymouth|GB|5039|-416
Tehuacan|MX|1845|-9738
Santa Maria|BR|-2968|-5380
Udon Thani|TH|1740|10279
Paramaribo|SR|584|-5517
Ensenada|MX|3187|-11662
Caruaru|BR|-828|-3598
Orizaba|MX|1885|-9713
As Sib|OM|2368|5818
Manisa|TR|3863|2744
Winston-Salem|US|3611|-8026
Tegal|ID|-687|10912
Sylhet|BD|2490|9187
Soc Trang|VN|960|10598
Sambalpur|IN|2147|8397
Shimonoseki|JP|3397|13095
Dera Ghazi Khan|PK|3006|7064
Sahiwal|PK|3067|7311
Dzerzhinsk|RU|5625|4346
Freiburg|DE|4800|787
Sapele|NG|589|568
Daloa|CI|689|-645
Al Jubayl|SA|2700|4965
Kediri|ID|-779|11200
Santa Clara|CU|2240|-7997
Ibb|YE|1398|4417
Uberaba|BR|-1978|-4795
Tacloban|PH|1125|12500
Santa Ana|BO|-1376|-6558
Juliaca|PE|-1550|-7014
Yanbu al Bahr|SA|2409|3805
Pamplona|ES|4282|-165
Al-Qatif|SA|2652|5001
Yumen|CN|3983|9773
Swansea|GB|5163|-395
Århus|DK|5616|1021
Worcester|US|4227|-7180
Saidpur|BD|2580|8900
Los Mochis|MX|2579|-10900
Angarsk|RU|5256|10392
Turkmenabat|TM|3911|6358
Provo|US|4025|-11164
Tampere|FI|6150|2375
Ploiesti|RO|4495|2604
Khammam|IN|1728|8016
Syktyvkar|RU|6166|5082
Nis|RS|4333|2190
Novorossiysk|RU|4473|3777
Noginsk|RU|6448|9123|Evenk
Mbandaka|CD|4|1826
Hualien|TW|2398|12160
Nawabshah|PK|2625|6840
Cotabato|PH|722|12425
Bharatpur|IN|2725|7750
Cascavel|BR|-2496|-5346
Vung Tau|VN|1036|10708
Iskenderun|TR|3658|3617
Itu|BR|-2326|-4730
Er Rachidia|MA|3194|-445
Nukus|UZ|4247|5962
Cagliari|IT|3922|910
Petrolina|BR|-938|-4051
Ogden|US|4123|-11197
Oruro|BO|-1798|-6713
Ambon|ID|-372|12820
Little Rock|US|3474|-9233
Hyeson|KP|4139|12819
Pondicherry|IN|1193|7983
Magdeburg|DE|5213|1162
Taiping|MY|486|10072
Quillacollo|BO|-1740|-6628
Liaocheng|CN|3643|11597
Parana|AR|-3173|-6053
Quzhou|CN|2897|11887
Baqubah|IQ|3375|4466
Lancaster|US|3470|-11814|California
Trenton|US|4022|-7474
Hachinohe|JP|4051|14154
Nyanza|RW|-235|2974
Karnal|IN|2968|7697
Sasebo|JP|3316|12972
San Pablo|PH|1407|12132
Shreveport|US|3250|-9377
Messina|IT|3820|1555
Lubeck|DE|5387|1067
Okara|PK|3081|7345
Narayanganj|BD|2362|9050
Oviedo|ES|4335|-583
Oostanay|KZ|5322|6363
Haeju|KP|3804|12571
Sucre|BO|-1904|-6526
Iquique|CL|-2025|-7013
Rancagua|CL|-3417|-7074
Juazeiro do Norte|BR|-721|-3932
Ivano-Frankivsk|UA|4893|2471
Mobile|US|3068|-8805
Gueckedou|GN|855|-1015
Banja Luka|BA|4478|1718
Chon Buri|TH|1340|10100
Neyshabur|IR|3622|5882
Groznyy|RU|4332|4570
Hailar|CN|4920|11970
Saint-Etienne|FR|4543|438
El Fasher|SD|1363|2535
Yakutsk|RU|6203|12974
Butembo|CD|13|2928
Novi Sad|RS|4525|1985
Al Khalil|PS|3154|3510
Cabanatuan|PH|1550|12096
Sterlitamak|RU|5363|5596
Myeik|MM|1245|9861
Miri|MY|440|11398
Thanjavur|IN|1077|7915
Nagercoil|IN|818|7743
Hami|CN|4283|9352
Velikiy Novgorod|RU|5850|3133
Wuhai|CN|3966|10681
Bandar Seri Begawan|BN|488|11493
Chuncheon|KR|3787|12773
Ambato|EC|-127|-7862
Uitenhage|ZA|-3376|2539
Matsumoto|JP|3624|13797
Debrecen|HU|4753|2163
Alajuela|CR|1002|-8423
Tanga|TZ|-507|3909
Colombo|LK|693|7986
Xinzhou|CN|3841|11272
Mutare|ZW|-1897|3265
Palm Springs|US|3378|-11653
Pathein|MM|1677|9475
Monclova|MX|2690|-10142
Sabzewar|IR|3622|5763
Palmas|BR|-1024|-4829|Tocantins
Pescara|IT|4246|1422
Owerri|NG|549|703
Luton|GB|5188|-42
Mubi|NG|1027|1327
Petropavlovsk|KZ|5488|6922
Poza Rica de Hidalgo|MX|2055|-9747
Pathankot|IN|3227|7572
Le Havre|FR|4950|10
Dili|TL|-856|12558
Neuquen|AR|-3895|-6806
Itabuna|BR|-1479|-3928
Jackson|US|3230|-9018|Mississippi
Trieste|IT|4565|1380
Braila|RO|4529|2797
Qyzylorda|KZ|4480|6546
St. Charles|US|3878|-9051|Missouri
Matadi|CD|-582|1345
Babruysk|BY|5313|2919
Sekondi|GH|494|-170
Nicosia|CY|3517|3337
Lubbock|US|3358|-10188
Evanston|US|4205|-8770
Nacala|MZ|-1452|4072
Kielce|PL|5089|2066
Lutsk|UA|5075|2533
Beni|CD|49|2945
Springs|ZA|-2627|2843
San Pedro de Macoris|DO|1845|-6930
Al Fallujah|IQ|3335|4378
Zinder|NE|1380|898
Kondoz|AF|3673|6887
Amol|IR|3647|5236
Nizhnekamsk|RU|5564|5182
Kosice|SK|4873|2125
Oradea|RO|4705|2192
Miskolc|HU|4810|2078
Thai Binh|VN|2045|10633
Koblenz|DE|5035|760
Mandya|IN|1257|7692
Laiyang|CN|3697|12071
Biysk|RU|5253|8518
Tapachula|MX|1490|-9227
Santarem|BR|-243|-5470
Kremenchuk|UA|4908|3343
Lancaster|US|4004|-7631|Pennsylvania
Pali|IN|2579|7333
Iwo|NG|763|418
Kirikkale|TR|3985|3353
Toamasina|MG|-1818|4940
Cap-Haitien|HT|1976|-7221
Blackpool|GB|5383|-305
Abha|SA|1823|4250
Ksar El Kebir|MA|3502|-591
Blagoveshchensk|RU|5027|12753
Chattanooga|US|3507|-8525
Flint|US|4301|-8369
Shakhty|RU|4772|4027
Cadiz|PH|1096|12331
Machala|EC|-326|-7996
Santa Ana|SV|1399|-8956
Oral|KZ|5127|5133
Ijebu Ode|NG|682|392
Rockford|US|4227|-8907
Rennes|FR|4810|-167
Monywa|MM|2210|9515
Campeche|MX|1983|-9050
Rybinsk|RU|5805|3882
Ulanhot|CN|4608|12208
San-Pedro|CI|477|-664
Imperatriz|BR|-552|-4749
Agartala|IN|2384|9128
Greenville|US|3485|-8239|South Carolina
Timon|BR|-511|-4284
La Romana|DO|1842|-6897
Linhai|CN|2885|12112
Acarigua|VE|958|-6920
Boa Vista|BR|282|-6067
Mossoro|BR|-519|-3734
Formosa|AR|-2617|-5818
Barisal|BD|2270|9037
Columbus|US|3247|-8498|Georgia
Biskra|DZ|3486|573
Rzeszow|PL|5007|2200
Chiniot|PK|3172|7298
Pingzhen|TW|2494|12122
Lashkar Gah|AF|3158|6436
Wollongong|AU|-3442|15089
Governador Valadares|BR|-1887|-4197
Gedaref|SD|1404|3538
Tshikapa|CD|-641|2077
Sibu|MY|230|11184
Puri|IN|1982|8590
Owo|NG|720|559
Dindigul|IN|1038|7800
Haldia|IN|2203|8806
Rostock|DE|5407|1215
Yamoussoukro|CI|682|-528
Bergen|NO|6039|532
Bojnurd|IR|3747|5732
Sidi bel Abbes|DZ|3519|-64
Starsy Oskol|RU|5130|3784
Pokhara|NP|2826|8397
Meymaneh|AF|3593|6477
Presidente Prudente|BR|-2212|-5139
Dodoma|TZ|-618|3575
Khon Kaen|TH|1642|10283
Kindu|CD|-296|2591
Vitoria|ES|4285|-267
Groningen|NL|5322|658
Osnabrück|DE|5228|805
Lansing|US|4273|-8455
Bulandshahr|IN|2841|7785
Bern|CH|4692|747
Purnia|IN|2579|8748
Saint-Louis|MR|1602|-1651
Ubon Ratchathani|TH|1525|10483
Zicheng|CN|3030|11150
Maradi|NE|1349|710
Thanh Hoa|VN|1982|10580
Gurugram|IN|2845|7702
Burhanpur|IN|2130|7613
Kure|JP|3425|13257
Beer Sheva|IL|3125|3483
Santander|ES|4338|-380
Gandhinagar|IN|2330|7264
Jinja|UG|44|3320
Split|HR|4352|1647
Adiyaman|TR|3777|3828
Eugene|US|4405|-12310
Sete Lagoas|BR|-1945|-4425
Youngstown|US|4110|-8065
Montgomery|US|3236|-8628
Nassau|BS|2508|-7735
Al Jahra|KW|2934|4766
Al Mukalla|YE|1454|4913
Saskatoon|CA|5217|-10667
Jizzax|UZ|4010|6783
Skikda|DZ|3688|690
Kofu|JP|3565|13858
Da Lat|VN|1193|10842
Santa Rosa|US|3845|-12270
Az Zawiyah|LY|3276|1272
Ilheus|BR|-1478|-3905
Korla|CN|4173|8615
Machilipatnam|IN|1620|8118
Tebingtinggi|ID|333|9913
Al Khums|LY|3266|1426
Az Aubayr|IQ|3039|4771
Bila Tserkva|UA|4977|3013
Nanping|CN|2663|11817
Tubruq|LY|3208|2396
Curepipe|MU|-2032|5752
Portoviejo|EC|-106|-8046
Armavir|RU|4500|4113
Beipiao|CN|4181|12076
Klaipeda|LT|5572|2112
Dhamar|YE|1456|4439
Lausanne|CH|4653|665
Lalitpur|NP|2767|8533
Kushiro|JP|4297|14437
Marilia|BR|-2221|-4995
Bhiwani|IN|2881|7613
Butuan|PH|895|12554
Jiutai|CN|4414|12584
Pskov|RU|5783|2833
Ann Arbor|US|4230|-8372
Sadiqabad|PK|2830|7013
Ninde|CN|2668|11953
Sanford|US|2879|-8128
Erfurt|DE|5097|1103
Khvoy|IR|3853|4497
Zumpango|MX|1981|-9911
Salem|US|4252|-7088|Massachusetts
Tours|FR|4738|70
Kabwe|ZM|-1444|2845
Moratuwa|LK|678|7988
Qurghonteppa|TJ|3784|6877
Dumyat|EG|3142|3182
Rize|TR|4102|4052
Salem|US|4493|-12302|Oregon
Ongole|IN|1556|8005
Hotan|CN|3710|7993
Bahir Dar|ET|1160|3738
Proddatur|IN|1475|7857
Valletta|MT|3590|1451
Nagaoka|JP|3745|13886
Bac Lieu|VN|928|10572
Tallahassee|US|3045|-8428
Kimchaek|KP|4067|12920
Nancy|FR|4868|620
Manpo|KP|4115|12630
Porbandar|IN|2167|6967
Aberdeen|GB|5717|-208
Talca|CL|-3546|-7167
Madiun|ID|-763|11151
Gusau|NG|1217|666
Clermont-Ferrand|FR|4578|308
Coral Springs|US|2627|-8027
Bacau|RO|4658|2692
Huntsville|US|3472|-8661|Alabama
Arar|SA|3099|4102
Sikasso|ML|1132|-568
Mainz|DE|4998|827
Mayaguez|PR|1820|-6714
Cabo Frio|BR|-2289|-4204
Tema|GH|564|1
Kismaayo|SO|-36|4252
Mbombela|ZA|-2547|3098
Takapuna|NZ|-3679|17478
Quang Ngai|VN|1515|10883
Norwich|GB|5263|130
Tiarat|DZ|3538|132
Singaraja|ID|-812|11509
Coro|VE|1142|-6968
Fayetteville|US|3506|-7888|North Carolina
Maiquetia|VE|1060|-6697
Puerto Vallarta|MX|2068|-10524
Dasoguz|TM|4184|5996
Tarlac|PH|1548|12058
Gaborone|BW|-2465|2591
Padangsidempuan|ID|139|9927
Salalah|OM|1703|5409
Punto Fijo|VE|1172|-7021
Engels|RU|5150|4612
Criciuma|BR|-2868|-4939
Shibin el Kom|EG|3059|3090
Pinrang|ID|-379|11965
Biratnagar|NP|2648|8728
Petropavlovsk Kamchatskiy|RU|5306|15862
Laayoune|MA|2715|-1320
Bahraich|IN|2762|8167
Severodvinsk|RU|6457|3983
Kom Ombo|EG|2447|3295
San Miguel|SV|1348|-8818
Potsdam|DE|5240|1307
Probolinggo|ID|-775|11315
Divinopolis|BR|-2015|-4490
Anda|CN|4640|12532
Kutaisi|GE|4225|4273
Tlimcen|DZ|3489|-132
Aydin|TR|3785|2785
Kolpino|RU|5973|3065
Springfield|US|3718|-9332|Missouri
La Paz|MX|2414|-11032
Tangail|BD|2425|8992
Lampang|TH|1829|9948
Mallawi|EG|2773|3084
Las Tunas|CU|2096|-7695
Olsztyn|PL|5380|2048
Reggio di Calabria|IT|3811|1564
Quelimane|MZ|-1788|3689
Kramatorsk|UA|4872|3753
Turpan|CN|4294|8917
Fort Collins|US|4056|-10506
Boma|CD|-583|1305
Amarillo|US|3523|-10183
Jinshi|CN|2963|11185
Arica|CL|-1850|-7029
Sittwe|MM|2014|9288
Angers|FR|4748|-53
Davenport|US|4155|-9059
Salzburg|AT|4781|1304
Zabol|IR|3102|6148
Reims|FR|4925|403
Batu Pahat|MY|185|10293
Barrancabermeja|CO|709|-7385
Rio Claro|BR|-2241|-4756
Bhusawal|IN|2102|7583
Bayamo|CU|2038|-7664
El Oued|DZ|3337|686
Cordoba|MX|1892|-9692
Arapiraca|BR|-975|-3667
Shishou|CN|2970|11240
Vellore|IN|1292|7915
Nandyal|IN|1552|7848
Manta|EC|-98|-8073
Alappuzha|IN|950|7637
Kalemie|CD|-593|2920
Kamensk Uralskiy|RU|5642|6194
Nakhon Si Thammarat|TH|840|9997
Malayer|IR|3432|4885
Zacatecas|MX|2277|-10258
Minatitlan|MX|1798|-9453
Castello|ES|3997|-5
Szeged|HU|4625|2015
Parakou|BJ|934|262
Zlatoust|RU|5517|5965
Ouargla|DZ|3197|534
Regina|CA|5045|-10462
Tanjungpinang|ID|92|10447
Ziguinchor|SN|1259|-1629
Fianarantsoa|MG|-2143|4708
Ar Raqqah|SY|3593|3902
Turku|FI|6045|2225
Colima|MX|1923|-10372
Sao Carlos|BR|-2202|-4789
Modena|IT|4465|1092
Furth|DE|4947|1100
Singkawang|ID|91|10897
Cachoeiro de Itapemirim|BR|-2085|-4113
Brownsville|US|2592|-9750
Yuzhno Sakhalinsk|RU|4696|14274
Huangyan|CN|2865|12125
Salatiga|ID|-731|11049
Burgas|BG|4251|2747
Waterbury|US|4155|-7305
El Tigre|VE|889|-6426
Zhubei|TW|2483|12101
Puerto Cabello|VE|1047|-6817
Saida|LB|3356|3537
Chilpancingo|MX|1755|-9950
Gangneung|KR|3776|12890
Oxford|GB|5177|-125
Simla|IN|3110|7717
Pinar del Rio|CU|2242|-8370
Qinzhou|CN|2195|10862
Nablus|PS|3222|3525
Noginsk|RU|5587|3848|Moskovsskaya
Balakovo|RU|5203|4780
Bida|NG|908|601
Fort-de-France|MQ|1461|-6108
Korhogo|CI|946|-564
Weinan|CN|3450|10950
Navoi|UZ|4011|6535
Varamin|IR|3532|5165
Bade|TW|2496|12130
Port-of-Spain|TT|1065|-6152
Polokwane|ZA|-2389|2945
South Bend|US|4168|-8625
Tebessa|DZ|3541|812
Hirosaki|JP|4057|14047
Syzran|RU|5317|4848
Pecs|HU|4608|1822
Sirjan|IR|2947|5573
Zhuanghe|CN|3968|12296
Djelfa|DZ|3468|325
Sirsa|IN|2949|7503
Melbourne|US|2808|-8061
Taza|MA|3422|-402
Lobito|AO|-1237|1354
Orleans|FR|4790|190
Bo|SL|797|-1174
Atyrau|KZ|4711|5192
Colon|PA|937|-7987
Dunhua|CN|4335|12822
Ruse|BG|4385|2597
Fuyang|CN|3290|11582|Anhui
Chirala|IN|1586|8034
Zamora|MX|1998|-10228
Obihiro|JP|4293|14317
Pitesti|RO|4486|2488
Lhasa|CN|2965|9110
Medinipur|IN|2233|8715
Jaffna|LK|968|8001
Puqi|CN|2972|11388
Corum|TR|4052|3495
Kutahya|TR|3942|2993
Canton|US|4080|-8138
Salamanca|MX|2057|-10120
Jamalpur|BD|2490|8995
Como|IT|4581|908
Puerto Montt|CL|-4147|-7293
Sinuiju|KP|4009|12442
Bandar-e Bushehr|IR|2892|5083
Temirtau|KZ|5007|7296
Zhaodong|CN|4608|12598
Benha|EG|3047|3118
Barra Mansa|BR|-2256|-4417
Tonk|IN|2615|7579
Fatehpur|IN|2588|8080
Aracatuba|BR|-2121|-5045
Cartagena|ES|3760|-98
Maraba|BR|-535|-4912
San Fernando|TT|1028|-6146
Ciudad Madero|MX|2232|-9784
Ha Tinh|VN|1833|10590
Kendari|ID|-396|12260
Chingola|ZM|-1254|2785
Martapura|ID|-341|11484
Barlett|US|3522|-8984
Gabes|TN|3390|1010
Serang|ID|-611|10615
Caserta|IT|4106|1434
Parma|IT|4481|1032
Gweru|ZW|-1945|2982
Angren|UZ|4103|7015
Sitapur|IN|2763|8075
Uvira|CD|-337|2914
Tulua|CO|409|-7621
Kigoma|TZ|-488|2961
Hawalli|KW|2933|4800
Crato|BR|-723|-3942|Ceará
Crato|BR|-746|-6304|Amazonas
Passo Fundo|BR|-2825|-5242
El Jadida|MA|3326|-851
As Samawah|IQ|3131|4528
Luzern|CH|4705|828
Dagupan|PH|1605|12034
St.-Denis|RE|-2088|5545
Baghlan|AF|3614|6870
Zhangye|CN|3893|10045
Mulhouse|FR|4775|735
Klerksdorp|ZA|-2688|2662
Oldenburg|DE|5313|822
Keluang|MY|204|10332
Navsari|IN|2085|7292
Cork|IE|5190|-850
Simao|CN|2278|10098
Nova Friburgo|BR|-2226|-4254
Catamarca|AR|-2847|-6578
Yangmei|TW|2492|12115
Jalal Abad|KG|4094|7300
Budaun|IN|2803|7909
Abakan|RU|5370|9145
Tomakomai|JP|4265|14155
Harar|ET|932|4215
Geneina|SD|1345|2244
Isparta|TR|3777|3053
Pizen|CZ|4974|1336
Malakal|SS|954|3166
Bergamo|IT|4570|967
Potosi|BO|-1957|-6575
Hong Gai|VN|2096|10710
Salamanca|ES|4097|-567
Xiaogan|CN|3092|11390
Taunggyi|MM|2078|9704
Dese|ET|1113|3963
Dijon|FR|4733|503
Paarl|ZA|-3370|1896
Muar|MY|203|10257
Pagadian|PH|785|12351
Patra|GR|3823|2173
Nakhodka|RU|6775|7752|Yamal-Nenets
Novocherkassk|RU|4742|4008
Orsk|RU|5121|5863
Arad|RO|4617|2132
Kragujevac|RS|4402|2092
Mostaganem|DZ|3594|9
Rubtsovsk|RU|5152|8121
Coquimbo|CL|-2995|-7134
Termiz|UZ|3723|6727
Waukesha|US|4301|-8823
Obuasi|GH|619|-166
Nimes|FR|4383|435
Funtua|NG|1152|732
Cuddalore|IN|1172|7977
Hetauda|NP|2742|8503
Samarra|IQ|3419|4388
Gainesville|US|2965|-8233
Hoshiarpur|IN|3152|7598
Gemena|CD|326|1977
Hinthada|MM|1765|9547
San Cristobal de Las Casas|MX|1675|-9263
Pingliang|CN|3553|10668
Hurghada|EG|2723|3383
Jamaame|SO|7|4275
Thohoyandou|ZA|-2295|3048
Rustavi|GE|4157|4505
Baranavichy|BY|5314|2601
Kasama|ZM|-1020|3118
Ponce|PR|1800|-6662
Lakeville|US|4465|-9324
Rijeka|HR|4533|1445
Malabo|GQ|375|878
Savannah|US|3202|-8111
Tarija|BO|-2152|-6475
Konibodom|TJ|4029|7043
Chirchiq|UZ|4145|6956
Gonder|ET|1261|3746
Majene|ID|-353|11897
Kanchipuram|IN|1283|7972
Sariwon|KP|3851|12576
Beian|CN|4824|12648
Antioch|TR|3623|3612
Xapeco|BR|-2710|-5264
Guaratingueta|BR|-2282|-4519
Arua|UG|302|3090
Laoag|PH|1820|12059
Leon|NI|1244|-8688
Pathum Thani|TH|1402|10053
San Cristobal|DO|1842|-7011
Cadiz|ES|3653|-623
Moanda|CD|-592|1235
El Arish|EG|3112|3380
Sibiu|RO|4580|2414
Kimberley|ZA|-2875|2477
Mahabad|IR|3677|4572
Norilsk|RU|6934|8822
Mwene-Ditu|CD|-700|2344
Berezniki|RU|5942|5676
Bertoua|CM|458|1368
Kattaqorgon|UZ|3990|6626
Nakhodka|RU|4284|13289|Primor'ye
Manchester|US|4300|-7146
Ayacucho|PE|-1318|-7422
Marbella|ES|3652|-488
Kovrov|RU|5636|4133
Huanuco|PE|-992|-7624
Ayodhya|IN|2675|8217
Dingzhou|CN|3850|11500
Augusta|US|3346|-8198|Georgia
Funchal|PT|3265|-1688
Myingyan|MM|2146|9539
Salinas|US|3668|-12164
Djougou|BJ|970|168
Battambang|KH|1310|10320
Silchar|IN|2479|9279
Deyang|CN|3113|10440
Jayapura|ID|-253|14070
Odense|DK|5540|1038
Almeria|ES|3683|-243
Abbotsford|CA|4905|-12230
York|GB|5397|-108
Afyon|TR|3875|3055
Zenica|BA|4422|1792
Maragheh|IR|3742|4622
La Serena|CL|-2990|-7125
Paterson|US|4092|-7417
Wurzburg|DE|4980|995
Dundee|GB|5647|-300
Barrie|CA|4438|-7970
Hindupur|IN|1378|7749
Matsue|JP|3547|13307
Nzerekore|GN|776|-883
Caen|FR|4918|-35
Burgos|ES|4235|-368
Chillan|CL|-3660|-7211
Cao Lanh|VN|1047|10564
Mataro|ES|4154|245
Green Bay|US|4453|-8800
Limassol|CY|3468|3303
Cedar Rapids|US|4197|-9166
Geelong|AU|-3817|14440
Bhisho|ZA|-3287|2739
Gyeongju|KR|3584|12921
Miass|RU|5500|6009
Taranto|IT|4051|1723
Ciudad del Carmen|MX|1865|-9182
Sibolga|ID|175|9880
Riobamba|EC|-167|-7865
Sobral|BR|-369|-4035
Palangkaraya|ID|-221|11391
Keren|ER|1568|3845
Lianxian|CN|2478|11238
Tirgu Mures|RO|4656|2456
Sioux Falls|US|4355|-9673
Diourbel|SN|1466|-1624
Jijel|DZ|3682|577
Lang Son|VN|2185|10676
Puerto Princesa|PH|975|11874
Mangyshlak|KZ|4369|5114
Balkh|AF|3675|6690
El Progreso|GT|1485|-9002
Usak|TR|3868|2942
La Rioja|AR|-2941|-6685
Foggia|IT|4146|1556
Ilam|IR|3363|4643
Willemstad|CW|1220|-6902
Rondonopolis|BR|-1647|-5464
Ambala|IN|3032|7682
Regensburg|DE|4902|1212
Ulm|DE|4840|1000
Mary|TM|3760|6183
Limoges|FR|4583|125
Nyiregyhaza|HU|4797|2172
Cienfuegos|CU|2214|-8044
Pisa|IT|4372|1040
Valdivia|CL|-3980|-7325
Hanzhong|CN|3313|10703
Moundou|TD|855|1609
Krishnanagar|IN|2338|8853
Tabora|TZ|-502|3280
Guangshui|CN|3162|11400
Medea|DZ|3627|277
Gonbad-e Kavus|IR|3725|5517
Saveh|IR|3502|5033
Dali|CN|2570|10018|Yunnan
Pensacola|US|3042|-8722
Aix-en-Provence|FR|4352|545
Tarakan|ID|330|11763
Mahajanga|MG|-1567|4635
Rustenburg|ZA|-2565|2724
Livorno|IT|4355|1030
Osorno|CL|-4057|-7316
Evansville|US|3797|-8756
Dourados|BR|-2223|-5481
Roanoke|US|3727|-7994
Cabo de Santo Agostinho|BR|-829|-3503
Ternate|ID|79|12736
Pasadena|US|3416|-11814|California
Kissimmee|US|2829|-8141
Waukegan|US|4236|-8784
Tall Afar|IQ|3638|4245
Chetumal|MX|1850|-8830
Gulu|UG|278|3228
Trondheim|NO|6342|1042
Dibrugarh|IN|2748|9490
Melun|FR|4853|267
Goma|CD|-168|2922
Tizi-Ouzou|DZ|3680|403
Kafr el Sheikh|EG|3111|3094
George|ZA|-3395|2245
Bridgetown|BB|1310|-5962
Tuzla|BA|4455|1868
Le Mans|FR|4800|10
Maykop|RU|4461|4012
Man|CI|740|-755
Waco|US|3155|-9715
Rio Grande|BR|-3205|-5212
Denow|UZ|3828|6789
Brest|FR|4839|-450
Tottori|JP|3550|13423
Peoria|US|4070|-8967
Gejiu|CN|2338|10315
Massawa|ER|1561|3945
Valera|VE|932|-7062
Bechar|DZ|3161|-223
Surat Thani|TH|915|9934
Nawabganj|BD|2458|8835
Taitung|TW|2276|12114
Limbe|CM|403|919
Isiro|CD|276|2762
Porlamar|VE|1096|-6385
Benguela|AO|-1258|1341
Perugia|IT|4311|1239
Jieshou|CN|3325|11535
Ingolstadt|DE|4877|1145
Mbanza-Ngungu|CD|-525|1486
Naples|US|2614|-8179
Arnhem|NL|5199|592
Jinchang|CN|3850|10217
Dawei|MM|1410|9819
Nongan|CN|4443|12517
Podgorica|ME|4247|1927
Daytona Beach|US|2921|-8102
Ussuriysk|RU|4380|13202
Altay|CN|4787|8812
Settat|MA|3301|-762
Banyuwangi|ID|-820|11437
Gyumri|AM|4079|4385
Peterborough|GB|5258|-25
Hancheng|CN|3547|11043
El Manaqil|SD|1425|3298
Reykjavík|IS|6415|-2195
Lajes|BR|-2781|-5031
Sonsonate|SV|1372|-8973
Tunja|CO|555|-7337
Tartus|SY|3488|3589
Cape Coast|GH|511|-125
Kumbakonam|IN|1098|7940
Otaru|JP|4319|14098
Dunhuang|CN|4014|9466
Ajdabiya|LY|3077|2022
Ipswich|GB|5207|117
Erie|US|4213|-8008
Denton|US|3322|-9713
Cajamarca|PE|-715|-7853
Batumi|GE|4160|4163
San Francisco de Macoris|DO|1930|-7025
Chincha Alta|PE|-1342|-7614
Ras al Khaymah|AE|2579|5594
Atbara|SD|1771|3398
Tiruvannamalai|IN|1226|7910
La Ceiba|HN|1576|-8680
Pabna|BD|2400|8925
Mendefera|ER|1489|3882
Livingstone|ZM|-1786|2586
Pec|RS|4389|2033
Piedras Negras|MX|2871|-10053
Tiraspol|MD|4685|2964
Mufulira|ZM|-1255|2826
Stavanger|NO|5897|568
Appleton|US|4427|-8840
Brikama|GM|1328|-1666
Nizhenvartovsk|RU|6093|7658
Rio Cuarto|AR|-3313|-6435
Ordu|TR|4100|3787
Bata|GQ|187|977
Sarh|TD|915|1839
Lishui|CN|2845|11990
Melitopol|UA|4684|3538
Phan Rang|VN|1157|10898
Kolar|IN|1313|7813
Jiayuguan|CN|3982|9830
Los Angeles|CL|-3746|-7236
Matanzas|CU|2304|-8158
Lafayette|US|3020|-9202|Louisiana
Zalantun|CN|4800|12272
Paranagua|BR|-2553|-4853
Balti|MD|4776|2791
Santa Barbara|US|3443|-11972
Leon|ES|4258|-557
Souk Ahras|DZ|3629|795
Saida|DZ|3484|14
Caxias|BR|-483|-4335
Baia Mare|RO|4766|2358
Sherbrooke|CA|4540|-7190
's-Hertogenbosch|NL|5168|532
Bordj Bou Arreridj|DZ|3606|463
Iraklio|GR|3533|2513
Esmeraldas|EC|93|-7967
Nevinnomyssk|RU|4462|4195
Uzhgorod|UA|4863|2225
Nantou|TW|2392|12068
Calama|CL|-2245|-6892
Ngaoundere|CM|732|1358
Kerch|UA|4537|3649
Kenema|SL|788|-1119
Bratsk|RU|5616|10162
Innsbruck|AT|4728|1141
Mostar|BA|4335|1782
Phitsanulok|TH|1683|10027
Yunxian|CN|3281|11081
Vallejo|US|3811|-12226
Birganj|NP|2700|8487
Awasa|ET|706|3848
Macae|BR|-2238|-4179
Fort Pierce|US|2745|-8033
Elbasan|AL|4112|2008
Bose|CN|2390|10661
San Juan del Rio|MX|2038|-10000
La Vega|DO|1922|-7052
Concordia|AR|-3139|-5803
Chinandega|NI|1263|-8713
Oulu|FI|6500|2547
Luanshya|ZM|-1313|2840
Masjed Soleyman|IR|3198|4930
Blitar|ID|-807|11215
Kislovodsk|RU|4391|4272
Kadugli|SD|1101|2970
Durres|AL|4132|1945
Rivera|UY|-3090|-5556
Gyor|HU|4770|1763
Qairouan|TN|3568|1010
Cairns|AU|-1689|14576
Novokuybishevsk|RU|5312|4992
Siauliai|LT|5594|2333
Guanare|VE|905|-6975
Serpukhov|RU|5493|3743
Suva|FJ|-1813|17844
Brugge|BE|5122|323
Jequie|BR|-1385|-4008
Tra Vinh|VN|993|10633
Kumba|CM|464|944
Pilibhit|IN|2864|7981
Buzau|RO|4516|2681
Ocumare del Tuy|VE|1012|-6678
Gottingen|DE|5152|992
Independence|US|3909|-9442
Abohar|IN|3012|7429
Ninh Binh|VN|2025|10598
Uppsala|SE|5986|1764
Kolomna|RU|5508|3878
Orsha|BY|5452|3042
Orekhovo-Zuevo|RU|5582|3898
Masaya|NI|1197|-8609
Ormac|PH|1106|12461
Ghazni|AF|3356|6842
Suhar|OM|2436|5673
Tokat|TR|4031|3656
Opole|PL|5068|1793
Townsville|AU|-1925|14677
Shar e Kord|IR|3232|5085
Murom|RU|5557|4204
Rashid|EG|3146|3039
Baydhabo|SO|312|4365
Jaragua do Sul|BR|-2648|-4910
York|US|3996|-7673
Kalamazoo|US|4229|-8559
Treviso|IT|4567|1224
Perpignan|FR|4270|290
Quchan|IR|3711|5850
Zonguldak|TR|4143|3178
Play Ku|VN|1398|10800
Cambridge|GB|5220|12
Sakakah|SA|3000|4013
Stara Zagora|BG|4242|2562
Jima|ET|768|3683
Namibe|AO|-1519|1216
Xai-Xai|MZ|-2504|3364
Bumba|CD|219|2246
Divo|CI|584|-536
Ibarra|EC|36|-7813
Barysaw|BY|5423|2849
Bremerhaven|DE|5355|858
Albacete|ES|3900|-187
Bizerte|TN|3729|985
Nema|MR|1662|-725
Fargo|US|4688|-9679
Al Marj|LY|3250|2083
Entebbe|UG|6|3246
Lira|UG|226|3289
Alipur Duar|IN|2648|8957
Alexandria|US|3882|-7710|Virginia
Pervouralsk|RU|5691|5996
Musoma|TZ|-149|3380
Wilmington|US|3423|-7795|North Carolina
Hathras|IN|2760|7805
Topeka|US|3905|-9567
Kokshetau|KZ|5330|6942
Kashmar|IR|3518|5845
Urgentch|UZ|4156|6064
Koforidua|GH|609|-26
Braganca Paulista|BR|-2295|-4655
Tay Ninh|VN|1132|10615
Macheng|CN|3118|11503
Tengchong|CN|2503|9847
Arzamas|RU|5540|4380
Muroran|JP|4235|14098
Hajjah|YE|1569|4360
Gonaives|HT|1945|-7268
Parnaiba|BR|-291|-4177
Sorong|ID|-86|13128
Pocos de Caldas|BR|-2178|-4657
Ghardaia|DZ|3249|367
Pakokku|MM|2133|9509
Springfield|US|3982|-8965|Illinois
Castanhal|BR|-129|-4793
Shahrud|IR|3642|5496
M'sila|DZ|3570|455
Pyay|MM|1882|9521
Nueva San Salvador|SV|1367|-8929
Ekibastuz|KZ|5173|7532
Takaoka|JP|3667|13700
Marv Dasht|IR|2980|5282
Elblag|PL|5419|1940
Teziutlan|MX|1982|-9736
Ravenna|IT|4442|1222
Middelburg|ZA|-2576|2947|Mpumalanga
Gilgit|PK|3592|7430
Besancon|FR|4723|603
Laiwu|CN|3620|11766
Pindamonhangaba|BR|-2292|-4547
Andong|KR|3657|12873
Logrono|ES|4247|-243
Zuwarah|LY|3293|1208
Higuey|DO|1862|-6871
Guelma|DZ|3647|743
Yulin|CN|3828|10973|Shaanxi
Guarapuava|BR|-2538|-5148
Alagoinhas|BR|-1214|-3843
Comodoro Rivadavia|AR|-4587|-6750
Indramayu|ID|-634|10832
My Tho|VN|1035|10635
Cartago|CO|475|-7591
Siracusa|IT|3707|1529
Szekesfehervar|HU|4719|1841
Lecce|IT|4036|1815
Yilan|TW|2475|12175
Pati|ID|-674|11103
Les Cayes|HT|1820|-7375
Baramula|IN|3420|7435
Volgodonsk|RU|4751|4216
Panevežys|LT|5574|2437
Maastricht|NL|5085|568
Ciego de Avila|CU|2184|-7876
Ash Shatrah|IQ|3142|4618
Dar'a|SY|3263|3611
Tete|MZ|-1617|3358
Neftekamsk|RU|5608|5426
Clarksville|US|3653|-8736
Loja|EC|-399|-7921
Lazaro Cardenas|MX|1796|-10220
Shkoder|AL|4207|1952
Girardot|CO|431|-7481
Ferrara|IT|4485|1161
Carora|VE|1019|-7008
Erzincan|TR|3975|3949
Samalut|EG|2830|3071
Dimitrovgrad|RU|5425|4956
Songea|TZ|-1068|3565
Itapetininga|BR|-2359|-4804
Yala|TH|655|10129
Pinsk|BY|5213|2609
Nusaybin|TR|3707|4122
Ft. Myers|US|2664|-8186
Mudon|MM|1626|9772
Miaoli|TW|2457|12082
Killeen|US|3112|-9773
Larissa|GR|3963|2242
Shendi|SD|1668|3342
Sogamoso|CO|572|-7294
College Station|US|3063|-9633
Puerto Plata|DO|1979|-7069
Sri Vijaya Puram|IN|1167|9274
Olmaliq|UZ|4085|6960
Huelva|ES|3725|-693
Zarzis|TN|3351|1110
Carupano|VE|1067|-6323
Sudbury|CA|4650|-8097
Nikopol|UA|4757|3441
Amiens|FR|4990|230
Shuangcheng|CN|4535|12628
Qomsheh|IR|3201|5186
Carpina|BR|-784|-3526
Trois-Rivières|CA|4635|-7255
Lysychansk|UA|4892|3843
Almetyevsk|RU|5490|5232
Nakhon Pathom|TH|1382|10006
Semnan|IR|3555|5337
Bintulu|MY|317|11304
Niagara Falls|US|4309|-7904
Setubal|PT|3853|-890
Cape Coral|US|2660|-8198
Copiapo|CL|-2736|-7034
Langsa|ID|467|9797
San Nicolas|AR|-3333|-6024
Boke|GN|1094|-1430
Abeche|TD|1384|2083
Wilmington|US|3975|-7555|Delaware
Xilinhot|CN|4394|11604
Navajoa|MX|2708|-10945
Gharyan|LY|3217|1302
Buizhou|CN|3737|11802
Sri Jawewardenepura Kotte|LK|690|7995
Yelets|RU|5258|3850
Idlib|SY|3593|3663
Badajoz|ES|3888|-697
Girga|EG|2633|3188
St. John’s|CA|4758|-5268
Nabeul|TN|3646|1073
Tuguegarao|PH|1761|12173
Son Tay|VN|2114|10551
New Bedford|US|4166|-7094
Myitkyina|MM|2536|9739
Zakho|IQ|3714|4269
Taonan|CN|4533|12278
Scranton|US|4141|-7566
Visalia|US|3633|-11932
Larache|MA|3520|-616
Lhokseumawe|ID|519|9714
Edinburg|US|2630|-9816
Sullana|PE|-489|-8068
Edirne|TR|4167|2657
Lubango|AO|-1491|1349
Siirt|TR|3794|4193
Ad Damazin|SD|1177|3435
Kuito|AO|-1238|1694
Zhijiang|CN|2744|10968
Zielona Gora|PL|5195|1550
Ayutthaya|TH|1436|10057
Bærum|NO|5991|1135
Sarnia|CA|4297|-8240
Norman|US|3523|-9734
Botosani|RO|4775|2666
Ourense|ES|4233|-787
Karabuk|TR|4120|3260
Port-Gentil|GA|-72|878
Maxixe|MZ|-2387|3539
Kitale|KE|103|3499
Riohacha|CO|1154|-7291
Yei|SS|409|3068
Nefteyugansk|RU|6108|7270
Mojokerto|ID|-747|11243
Achinsk|RU|5627|9050
Satu Mare|RO|4779|2289
Ciudad Valles|MX|2198|-9902
Bongor|TD|1029|1539
Hamilton|NZ|-3777|17530
Juba|SS|483|3158
Aalborg|DK|5703|992
Nakhon Sawan|TH|1570|10007
Kecskemet|HU|4690|1970
Zwolle|NL|5252|610
Cartago|CR|987|-8393
Turbat|PK|2599|6307
Kandy|LK|728|8067
Salavat|RU|5337|5593
Iskandar|UZ|4155|6968
Magway|MM|2014|9492
Magelang|ID|-747|11018
Puno|PE|-1583|-7003
Fasa|IR|2897|5367
Gagnoa|CI|615|-588
Nsukka|NG|687|738
Rio Largo|BR|-948|-3584
Calabozo|VE|893|-6744
Surt|LY|3121|1659
Iguala|MX|1837|-9954
Noyabrsk|RU|6317|7562
Manzini|SZ|-2650|3139
Kankan|GN|1039|-931
Pleven|BG|4342|2461
As Salt|JO|3204|3573
Kelowna|CA|4990|-11948
Mzuzu|MW|-1146|3402
Dong Hoi|VN|1748|10660
Bouira|DZ|3638|390
Linqing|CN|3685|11568
Daugavpils|LV|5588|2651
Santa Cruz do Sul|BR|-2971|-5244
Shizuishan|CN|3923|10677
Cienaga|CO|1101|-7425
Dali|CN|3480|10994|Shaanxi
Pemba|MZ|-1298|4053
Edea|CM|380|1012
Tieli|CN|4695|12805
Worcester|ZA|-3364|1944
Delicias|MX|2820|-10550
Karamay|CN|4559|8486
Leeuwarden|NL|5325|578
Phuket|TH|788|9838
Trincomalee|LK|857|8123
Wenshan|CN|2337|10425
Vryheid|ZA|-2776|3079
Male|MV|417|7350
Kingston|CA|4423|-7648
Laghouat|DZ|3381|288
Fayetteville|US|3606|-9416|Arkansas
Tekirdag|TR|4099|2751
Pueblo|US|3828|-10463
Exeter|GB|5070|-353
Mascara|DZ|3540|14
Umtata|ZA|-3158|2879
Bryan|US|3067|-9637
Nazareth|IL|3270|3530
Curico|CL|-3498|-7124
Cerro de Pasco|PE|-1069|-7627
Leninsk Kuznetsky|RU|5466|8617
Abilene|US|3245|-9973
Bandundu|CD|-331|1738
Batticaloa|LK|772|8170
Tarragona|ES|4112|125
Letpadan|MM|1778|9574
Segou|ML|1344|-626
Rimnicu Vilcea|RO|4511|2438
Beaumont|US|3009|-9410
Koszalin|PL|5420|1618
Manzanillo|CU|2034|-7712
Melilla|ES|3530|-295
Kamyanets-Podilskyy|UA|4868|2658
Garanhuns|BR|-889|-3650
Golmud|CN|3642|9488
Sergiyev Posad|RU|5633|3817
Yakeshi|CN|4928|12073
Udine|IT|4607|1324
Boulder|US|4004|-10525
Bataysk|RU|4714|3974
Gibraltar|GI|3613|-538
Goulimine|MA|2898|-1007
Algeciras|ES|3613|-547
Matagalpa|NI|1292|-8592
Malanje|AO|-954|1634
Trento|IT|4608|1112
Kyzyl|RU|5171|9438
Punta Arenas|CL|-5316|-7094
Toliara|MG|-2336|4369
Greeley|US|4042|-10474
Raba|ID|-845|11877
Tumbes|PE|-357|-8046
Asheville|US|3560|-8255
Gandajika|CD|-674|2396
Douliou|TW|2371|12054
Taungoo|MM|1895|9642
Sadah|YE|1694|4385
Assab|ER|1301|4273
Racine|US|4273|-8781
Escuintla|GT|1430|-9078
Catanduva|BR|-2114|-4898
Nkongsamba|CM|496|994
Sanming|CN|2623|11758
Macon|US|3285|-8363
Hailun|CN|4745|12693
Al Hasakah|SY|3648|4075
Schenectady|US|4281|-7394
Uroteppa|TJ|3992|6900
Nancha|CN|4714|12929
Yaynangyoung|MM|2046|9488
Drobeta-Turnu Severin|RO|4465|2267
Tongren|CN|2768|10913
Montego Bay|JM|1847|-7792
Zhezqazghan|KZ|4778|6777
National City|US|3267|-11710
Huanghua|CN|3837|11733
Rudny|KZ|5295|6313
Al Qamishli|SY|3703|4123
Adigrat|ET|1428|3947
Gafsa|TN|3442|878
Kitami|JP|4385|14390
Gera|DE|5087|1207
Jalingo|NG|890|1136
Potchefstroom|ZA|-2670|2710
Trang|TH|756|9961
Lae|PG|-673|14699
Karaman|TR|3718|3322
Biak|ID|-116|13605
Darnah|LY|3276|2264
Vinh Long|VN|1026|10596
Sennar|SD|1355|3360
Iringa|TZ|-777|3569
Agadez|NE|1700|798
Conselheiro Lafaiete|BR|-2067|-4379
Sassari|IT|4073|857
Salto|UY|-3139|-5797
Piatra-Neamt|RO|4694|2638
Khiwa|UZ|4139|6036
Fresnillo|MX|2317|-10286
Apucarana|BR|-2355|-5147
Hidalgo del Parral|MX|2693|-10567
Jau|BR|-2229|-4857
Zabid|YE|1420|4332
Bage|BR|-3132|-5410
Pouso Alegre|BR|-2222|-4594
Rochester|US|4402|-9247|Minnesota
Houma|CN|3562|11121
Hoa Binh|VN|2081|10534
Birnin Kebbi|NG|1245|420
Valparai|IN|1032|7697
Billings|US|4579|-10854
Koutiala|ML|1239|-547
Esteli|NI|1309|-8636
Rock Island|US|4149|-9053
Zlin|CZ|4923|1765
Drohobych|UA|4934|2350
Sancti Spiritus|CU|2193|-7944
Bontang|ID|13|11750
Maribor|SI|4654|1565
Ibri|OM|2323|5652
Barbacena|BR|-2122|-4377
Tyler|US|3235|-9530
Santa Cruz|US|3697|-12203
Kamina|CD|-873|2501
Cherkessk|RU|4429|4206
Tan An|VN|1053|10642
Praia|CV|1492|-2352
Grudziadz|PL|5348|1875
Olympia|US|4704|-12290
Mazyr|BY|5205|2927
Oum el Bouaghi|DZ|3585|715
San Fernando de Apure|VE|790|-6747
Poughkeepsie|US|4170|-7392
Tuscaloosa|US|3323|-8754
Jizan|SA|1691|4256
Elkhart|US|4168|-8597
Sabha|LY|2703|1443
Murfreesboro|US|3585|-8639
Västerås|SE|5963|1654
Anaco|VE|944|-6446
Shashemene|ET|720|3859
San Martin|AR|-3307|-6849
Liberec|CZ|5080|1508
Barletta|IT|4132|1627
Jena|DE|5093|1158
Bloomington|US|4048|-8899|Illinois
Wilkes Barre|US|4125|-7588
Pangkalpinang|ID|-208|10615
Elista|RU|4633|4421
Sokode|TG|899|115
Ratchaburi|TH|1354|9982
Labe|GN|1132|-1230
Portland|US|4367|-7025|Maine
Nogales|MX|3131|-11094
Balkanabat|TM|3951|5436
Bam|IR|2911|5836
Wau|SS|770|2799
Lida|BY|5389|2528
Ahar|IR|3848|4706
Giresun|TR|4091|3839
Coral Gables|US|2572|-8029
Odessa|US|3185|-10237
Thunder Bay|CA|4845|-8927
Kpalime|TG|690|63
Tahoua|NE|1490|526
Midland|US|3203|-10210
Lafayette|US|4042|-8688|Indiana
Santa Maria|US|3494|-12044
Iseyin|NG|797|359
Chiang Rai|TH|1991|9983
Loubomo|CG|-418|1267
Vyborg|RU|6070|2875
Pardubice|CZ|5004|1576
Coimbra|PT|4020|-842
Olomouc|CZ|4963|1725
Uruguaiana|BR|-2977|-5709
Santa Rosa|AR|-3662|-6430
L'Ariana|TN|3687|1020
Las Cruces|US|3231|-10678
Konotop|UA|5124|3321
Barretos|BR|-2055|-4858
Volos|GR|3937|2295
Lahti|FI|6099|2566
Ceske Budejovice|CZ|4898|1446
Wichita Falls|US|3391|-9849
Solikamsk|RU|5967|5675
Granada|NI|1193|-8595
Derbent|RU|4206|4828
Siem Reap|KH|1337|10385
Targu Jiu|RO|4505|2327
Namur|BE|5047|487
Ourinhos|BR|-2297|-4987
Kulob|TJ|3792|6978
Suceava|RO|4764|2626
Tororo|UG|71|3417
Pattani|TH|686|10125
Yasuj|IR|3066|5159
Brindisi|IT|4064|1793
Subotica|RS|4607|1968
Schwerin|DE|5363|1142
Duitama|CO|583|-7302
Yen Bai|VN|2171|10488
Half Way Tree|JM|1803|-7680
Bolu|TR|4074|3161
David|PA|843|-8243
Ukhta|RU|6356|5369
Galle|LK|603|8024
Queenstown|ZA|-3190|2688
Bethal|ZA|-2647|2945
Maladzyechna|BY|5432|2687
Tetovo|MK|4201|2097
Örebro|SE|5928|1522
Chhatrapati Sambhajinagar|IN|2477|8438|Bihar
Nizhyn|UA|5105|3189
Mekele|ET|1350|3947
Ancona|IT|4360|1350
Pakxe|LA|1512|10582
Ocala|US|2919|-8214
Ozamis|PH|815|12384
Bolzano|IT|4650|1136
Wahiawa|US|2150|-15802
Guanajuato|MX|2102|-10128
Bafra|TR|4157|3591
Hradec Kralove|CZ|5021|1581
Juazeiro|BR|-942|-4050
Al Aqabah|JO|2953|3508
San Antonio|CL|-3360|-7161
Chanthaburi|TH|1261|10210
Botucatu|BR|-2288|-4845
Magangue|CO|923|-7474
Cottbus|DE|5177|1433
Inhambane|MZ|-2386|3534
Manbij|SY|3653|3796
Szombathely|HU|4723|1663
Kansk|RU|5619|9571
EdDamer|SD|1759|3396
Kirsehir|TR|3914|3417
Lichinga|MZ|-1330|3524
Zheleznogorsk|RU|5235|3540
Si Racha|TH|1316|10093
Yishui|CN|3579|11862
Linköping|SE|5841|1563
Usti Nad Labem|CZ|5066|1408
Redding|US|4059|-12239
Yakima|US|4660|-12050
Shinyanga|TZ|-366|3342
Ipiales|CO|83|-7765
Samandagi|TR|3612|3593
Thika|KE|-104|3709
Kindia|GN|1006|-1287
Michurinsk|RU|5290|4050
Nazran|RU|4323|4478
Glazov|RU|5812|5263
Mopti|ML|1449|-418
Velikiye Luki|RU|5632|3052
Chamdo|CN|3117|9723
Trelew|AR|-4325|-6533
Trindade|BR|-1665|-4950
Kuznetsk|RU|5312|4660
Jaén|ES|3777|-380
Binghamton|US|4210|-7592
Bath|GB|5138|-235
Focsani|RO|4570|2719
Sarapul|RU|5648|5380
Apatzingan|MX|1908|-10235
Bento Goncalves|BR|-2917|-5152
Dunedin|NZ|-4588|17048
Belleville|US|3853|-9000
Szolnok|HU|4719|2018
Dhangarhi|NP|2869|8059
Yola|NG|921|1248
Kohima|IN|2567|9412
Danjiangkou|CN|3252|11150
Luxembourg|LU|4961|613
San Carlos de Bariloche|AR|-4115|-7130
Spring Hill|US|2848|-8255
Flensburg|DE|5478|943
Roxas|PH|1159|12275
Kineshma|RU|5747|4213
Atlixco|MX|1890|-9845
Sangolqui|EC|-31|-7846
Serov|RU|5961|6058
Urbana|US|4011|-8820
Mtwara|TZ|-1027|4019
Osijek|HR|4555|1868
Jyväskylä|FI|6226|2575
Touggourt|DZ|3310|606
Huanren|CN|4126|12535
Mons|BE|5045|394
Kendu Bay|KE|-36|3464
Votkinsk|RU|5703|5399
Magadan|RU|5957|15081
Arapongas|BR|-2341|-5143
Helsingborg|SE|5605|1270
Shostka|UA|5187|3348
Pingdu|CN|3679|11994
Nigde|TR|3798|3469
Mmabatho|ZA|-2583|2561
Yevpatoriya|UA|4520|3336
Catanzaro|IT|3890|1660
Kuopio|FI|6289|2769
Ciudad Guzman|MX|1971|-10346
Jiaohe|CN|4372|12735
Novotroitsk|RU|5120|5833
Vizianagaram|IN|1812|8350
Gatchina|RU|5957|3013
Buea|CM|416|923
Tartu|EE|5838|2671
Arlit|NE|1882|733
May Pen|JM|1797|-7723
Kuqa|CN|4173|8294
Noumea|NC|-2226|16644
Kumbo|CM|622|1068
Shangzhi|CN|4522|12797
Anuradhapura|LK|835|8038
Vlore|AL|4048|1950
Saginaw|US|4342|-8395
Lagos de Moreno|MX|2137|-10193
Tulcea|RO|4520|2880
Hosaina|ET|755|3785
Vanadzor|AM|4081|4449
Biarritz|FR|4347|-156
Tumen|CN|4297|12982
Tambacounda|SN|1378|-1368
Francistown|BW|-2117|2750
Medford|US|4233|-12287
Moncton|CA|4608|-6477
Novara|IT|4545|862
Thimphu|BT|2747|8964
Chapayevsk|RU|5297|4972
Klagenfurt|AT|4662|1431
Chaman|PK|3093|6645
Machakos|KE|-151|3726
Targoviste|RO|4494|2546
Kroonstad|ZA|-2766|2721
Berdyansk|UA|4676|3679
Yuma|US|3269|-11462
Taldyqorghan|KZ|4500|7840
Kaposvar|HU|4637|1780
Tsuruoka|JP|3870|13983
Lawrence|US|3896|-9526
Fort Smith|US|3539|-9440
Tokmak|KG|4283|7528
Azare|NG|1168|1019
Yozgat|TR|3982|3481
Tobolsk|RU|5820|6826
Agri|TR|3972|4305
Kipushi|CD|-1176|2725
Abengourou|CI|673|-349
Oktyabrskiy|RU|5446|5346|Bashkortostan
Parepare|ID|-402|11963
San Juan De Los Morros|VE|990|-6735
Santiago de Compostela|ES|4288|-854
Choluteca|HN|1330|-8719
Uman|UA|4875|3021
Gitarama|RW|-207|2976
Florencia|CO|161|-7562
Yegoryevsk|RU|5538|3903
Gao|ML|1627|-5
Changting|CN|2587|11632
Sliven|BG|4268|2633
Santana do Livramento|BR|-3088|-5553
San Angelo|US|3146|-10044
Kiselevsk|RU|5400|8664
Longjiang|CN|4734|12318
Charleston|US|3835|-8163|West Virginia
Sioux City|US|4250|-9640
Lokossa|BJ|662|172
Bafang|CM|517|1018
Teofilo Otoni|BR|-1787|-4150
Zilina|SK|4922|1875
Harlingen|US|2620|-9769
Turkistan|KZ|4330|6825
Nouadhibou|MR|2090|-1706
Tumaco|CO|181|-7881
Toowoomba|AU|-2756|15196
Ruhengeri|RW|-150|2963
Jawhar|SO|277|4552
Reconquista|AR|-2914|-5965
Bellingham|US|4876|-12249
Eregli|TR|3751|3405
Sakata|JP|3892|13985
Jönköping|SE|5777|1417
Linhares|BR|-1939|-4005
Bama|NG|1152|1369
Valle de la Pascua|VE|921|-6602
Barreiras|BR|-1214|-4500
Pyatigorsk|RU|4408|4309
Zarate|AR|-3409|-5904
St. Cloud|US|4556|-9416
Fengzhen|CN|4045|11314
Lawton|US|3460|-9841
Moroni|KM|-1170|4324
Bloomington|US|3917|-8653|Indiana
Norrköping|SE|5860|1618
Patos|BR|-702|-3729
Madinat ath Thawrah|SY|3584|3855
Bukoba|TZ|-132|3180
Tecoman|MX|1892|-10388
Drammen|NO|5976|1019
Sokcho|KR|3821|12859
Chongju|KP|3968|12522
Versailles|FR|4880|213
Bugulma|RU|5455|5279
Poitier|FR|4658|33
Presov|SK|4900|2124
Erechim|BR|-2763|-5227
Paulo Afonso|BR|-933|-3827
Koudougou|BF|1225|-237
Cam Ranh|VN|1190|10922
Cáceres|BR|-1605|-5751
Manzanillo|MX|1905|-10432
Passos|BR|-2071|-4661
Palma Soriano|CU|2022|-7600
Kogon|UZ|3972|6455
Louga|SN|1561|-1625
Qal at Bishah|SA|2001|4260
Chauk|MM|2091|9482
Usolye Sibirskoye|RU|5276|10364
Cuauhtemoc|MX|2843|-10687
Tandil|AR|-3732|-5915
Daan|CN|4550|12430
Buzuluk|RU|5278|5226
Tauranga|NZ|-3770|17615
Isna|EG|2529|3255
Sumenep|ID|-700|11385
En Nuhud|SD|1269|2842
Lynchburg|US|3741|-7914
Guaymas|MX|2793|-11089
Merced|US|3730|-12048
Yuba City|US|3914|-12162
Punta del Este|UY|-3497|-5495
Balashov|RU|5155|4316
Limerick|IE|5266|-862
Nong Khai|TH|1787|10275
Liepaga|LV|5651|2101
Quibdo|CO|569|-7666
Montero|BO|-1735|-6326
Perabumulih|ID|-344|10423
Soubre|CI|579|-661
Mbarara|UG|-60|3065
Ebolowa|CM|290|1115
Barahona|DO|1820|-7110
Gisenyi|RW|-168|2926
Ouidah|BJ|636|209
Victorville|US|3454|-11729
Caldwell|US|4366|-11667
Ocana|CO|824|-7335
Waitakere|NZ|-3685|17455
Guider|CM|993|1394
Boli|CN|4576|13058
Calais|FR|5095|183
Codo|BR|-448|-4388
Chester|GB|5320|-292
Chico|US|3973|-12184
Panshi|CN|4294|12606
Mbabane|SZ|-2632|3113
Makeni|SL|888|-1205
Anzhero Sudzhensk|RU|5608|8604
Helong|CN|4253|12900
Tulcan|EC|82|-7773
Darwin|AU|-1243|13085
Lahad Datu|MY|505|11834
Izmayil|UA|4535|2884
Novoshakhtinsk|RU|4777|3992
Matruh|EG|3135|2723
Potiskum|NG|1171|1108
Itanhaem|BR|-2418|-4680
Huehuetenango|GT|1532|-9147
Nanaimo|CA|4915|-12393
Gardiz|AF|3360|6921
Guasave|MX|2557|-10847
Londonderry|GB|5500|-733
Arezzo|IT|4346|1187
Kamyshin|RU|5008|4540
Behbehan|IR|3058|5026
Teluk Intan|MY|401|10103
Nguru|NG|1288|1045
Chipata|ZM|-1363|3264
Kilchu|KP|4096|12932
Nangong|CN|3737|11537
Chimaltenango|GT|1466|-9082
Kennewick|US|4621|-11914
Albany|US|3158|-8416|Georgia
Resita|RO|4530|2189
Asela|ET|795|3914
Abomey|BJ|719|199
Ad Dakhla|MA|2371|-1594
Wamba|CD|214|2799
Waterloo|US|4249|-9234
Bremerton|US|4757|-12264
Duluth|US|4678|-9211
Tatui|BR|-2335|-4786
Pointe-a-Pitre|GP|1624|-6153
Utica|US|4310|-7523
Fuan|CN|2707|11962
Shwebo|MM|2258|9569
Torbat-e Jam|IR|3522|6061
Uba|BR|-2112|-4295
Tuapse|RU|4411|3906
Greenville|US|3561|-7737|North Carolina
Ho|GH|660|47
Iowa City|US|4166|-9153
Bistrita|RO|4714|2451
Brits|ZA|-2563|2778
Brusque|BR|-2713|-4893
Malindi|KE|-321|4010
Spartanburg|US|3495|-8193
Santa Fe|US|3569|-10594
Zomba|MW|-1539|3531
Kwekwe|ZW|-1893|2980
Banska Bystrica|SK|4873|1915
Pernik|BG|4261|2302
Balqash|KZ|4685|7495
Bingol|TR|3889|4050
Mus|TR|3875|4150
Mishan|CN|4555|13188
Council Bluffs|US|4126|-9586
Fujin|CN|4727|13202
Qasserine|TN|3518|883
St. George|US|3710|-11358
Southaven|US|3497|-9000
Araguari|BR|-1864|-4820
Capenda-Camulemba|AO|-942|1843
Wangqing|CN|4332|12973
Naxcivan|AZ|3921|4541
Tubarao|BR|-2848|-4902
Peterborough|CA|4430|-7833
Nenjiang|CN|4918|12523
Erdenet|MN|4905|10412
San Rafael|AR|-3460|-6833
Lafia|NG|849|852
Sampit|ID|-253|11295
Slavonski Brod|HR|4516|1802
Polatsk|BY|5549|2879
Assis|BR|-2266|-5042
Slatina|RO|4443|2437
Cabinda|AO|-556|1219
Kupyansk|UA|4972|3760
Papeete|PF|-1753|-14957
Sagaing|MM|2188|9596
Abaetetuba|BR|-172|-4888
Ceuta|ES|3589|-531
Coronel|CL|-3703|-7316
Itaituba|BR|-426|-5593
Giessen|DE|5058|865
New Albany|US|3831|-8582
Inowroclaw|PL|5278|1825
Ciudad Mante|MX|2273|-9895
Al Fujayrah|AE|2512|5634
Pingyi|CN|3551|11762
Shulan|CN|4441|12695
Athens|US|3396|-8338
Tukuyu|TZ|-925|3364
Asbest|RU|5702|6146
Beziers|FR|4335|321
Amasya|TR|4065|3583
Annecy|FR|4590|612
Brovary|UA|5049|3078
Salina Cruz|MX|1617|-9520
Monterey|US|3660|-12189
Agua Prieta|MX|3132|-10956
Louangphrabang|LA|1988|10214
Kayes|ML|1445|-1144
San Carlos|VE|966|-6859
Rio Gallegos|AR|-5163|-6922
Jiexiu|CN|3704|11190
Rock Hill|US|3494|-8103
Campana|AR|-3416|-5896
Lake Charles|US|3023|-9322
Keffi|NG|885|787
Butare|RW|-259|2973
San Carlos del Zulia|VE|901|-7192
Karur|IN|1095|7808
La Rochelle|FR|4617|-115
Wa|GH|1006|-250
Fredericksburg|US|3830|-7746
Yalta|UA|4450|3416
San Felipe|VE|1034|-6875
Linjiang|CN|4184|12694
Muriae|BR|-2113|-4239
Villa Maria|AR|-3241|-6326
Baytown|US|2976|-9497
Monroe|US|3251|-9212
Gulfport|US|3037|-8909
Yeysk|RU|4670|3826
Sumbawanga|TZ|-796|3162
Rosenheim|DE|4785|1213
Giyon|ET|853|3797
Kon Tum|VN|1438|10798
Antsiranana|MG|-1228|4931
Masvingo|ZW|-2006|3082
Kasserine|TN|3522|872
Tuban|ID|-690|11205
Sukhumi|GE|4302|4102
Novoaltaysk|RU|5340|8396
Petersburg|US|3723|-7740
Paysandu|UY|-3233|-5808
Umeå|SE|6383|2024
Presidencia Roque Saenz Pena|AR|-2679|-6045
Maumere|ID|-862|12221
Cam Pha|VN|2104|10732
Buynaksk|RU|4283|4711
Savannakhet|LA|1654|10477
Longview|US|3250|-9474|Texas
Bitola|MK|4104|2134
Nevsehir|TR|3862|3472
Shumen|BG|4327|2693
Muncie|US|4019|-8539
Linares|CL|-3584|-7159
Dondo|MZ|-1962|3473
Ioanina|GR|3967|2085
Grand Junction|US|3909|-10855
Ponta Pora|BR|-2253|-5573
Birobidzhan|RU|4880|13295
Huaraz|PE|-953|-7753
Decatur|US|3984|-8895
Nehe|CN|4849|12488
St. Joseph|US|3977|-9485
Columbia|US|3561|-8704|Tennessee
Gashua|NG|1287|1104
Talara|PE|-458|-8128
Atakpame|TG|753|112
Darhan|MN|4962|10635
Canakkale|TR|4015|2641
Novomoskovsk|RU|5409|3822
Shanxian|CN|3479|11608
Springfield|US|3992|-8380|Ohio
Guliston|UZ|4050|6879
Sheberghan|AF|3666|6574
Wukari|NG|787|978
Red Deer|CA|5227|-11380
Manzhouli|CN|4960|11743
Campo Murao|BR|-2405|-5242
Puerto Limon|CR|1000|-8303
Riberalta|BO|-1098|-6610
Prey Veng|KH|1148|10532
Kiffa|MR|1662|-1140
Dobrich|BG|4359|2784
Quillota|CL|-3288|-7126
Munchon|KP|3938|12725
Urgut|UZ|3940|6726
Kandi|BJ|1113|294
Ballarat|AU|-3756|14384
Shchekino|RU|5401|3751
Onitsha|NG|614|678
Latacunga|EC|-93|-7861
Mpanda|TZ|-636|3105
Skien|NO|5920|960
Kilis|TR|3672|3712
Bonao|DO|1894|-7041
Galway|IE|5327|-905
Agboville|CI|594|-428
Nekemte|ET|909|3653
Ovalle|CL|-3059|-7120
San Juan|DO|1881|-7123
Khaskovo|BG|4194|2556
Soke|TR|3775|2741
Quang Tri|VN|1675|10720
Jacksonville|US|3475|-7743|North Carolina
Polatli|TR|3958|3215
Kandalaksha|RU|6716|3241
Yurga|RU|5573|8489
Kampong Cham|KH|1200|10545
Keshan|CN|4803|12587
Klin|RU|5634|3670
Sao Tome|ST|33|673
Porto Seguro|BR|-1643|-3908
Idah|NG|711|674
Tamanrasset|DZ|2279|552
Gode|ET|595|4345
Kirovo-Chepetsk|RU|5855|5004
Pisco|PE|-1371|-7622
Lorient|FR|4775|-337
Pori|FI|6148|2177
Pergamino|AR|-3390|-6057
Cankiri|TR|4061|3362
Tailai|CN|4639|12341
Eau Claire|US|4481|-9150
Dabou|CI|532|-439
Goya|AR|-2914|-5927
Vorkuta|RU|6750|6401
Anlu|CN|3127|11367
Calarasi|RO|4421|2733
Saint John|CA|4527|-6608
Ilebo|CD|-432|2061
Muyinga|BI|-285|3032
Saraburi|TH|1453|10088
Chumphon|TH|1051|9919
Avare|BR|-2311|-4893
Muskegon|US|4323|-8625
Prijedor|BA|4498|1670
Bend|US|4407|-12131
Byumba|RW|-158|3006
Saint Gallen|CH|4742|936
Scarborough|GB|5428|-43
Necochea|AR|-3856|-5875
Tatabanya|HU|4755|1843
Kropotkin|RU|4545|4058
Ali Bayramli|AZ|3993|4892
Lavras|BR|-2125|-4501
Nizwa|OM|2293|5753
Kastamonu|TR|4139|3378
Grahamstown|ZA|-3330|2652
Ouahigouya|BF|1357|-242
Sunyani|GH|734|-234
Chau Doc|VN|1070|10512
Itauna|BR|-2006|-4457
Bourges|FR|4708|240
Araxa|BR|-1958|-4695
Corumba|BR|-1902|-5765
Troitsk|RU|5411|6157
Fier|AL|4073|1957
Lujan|AR|-3458|-5911
Totonicapan|GT|1491|-9136
Chililabombwe|ZM|-1237|2782
Coronel Oviedo|PY|-2545|-5644
Rafaela|AR|-3125|-6150
San Luis|GT|1620|-8944
La Crosse|US|4380|-9124
Tuy Hoa|VN|1308|10932
San Ramon de la Nueva Oran|AR|-2314|-6432
Zhob|PK|3135|6944
Kelo|TD|932|1580
Trinidad|BO|-1483|-6490
Carlisle|GB|5488|-293
Vaslui|RO|4663|2773
Hasselt|BE|5096|548
Abu Kamal|SY|3445|4092
Giurgiu|RO|4393|2584
Potenza|IT|4064|1580
Belogorsk|RU|5092|12846
Kamensk Shakhtinskiy|RU|4833|4025
Jorhat|IN|2675|9422
Korosten|UA|5095|2865
Mocuba|MZ|-1685|3826
Mangochi|MW|-1446|3527
Timbuktu|ML|1677|-302
Beni Mazar|EG|2849|3081
Panama City|US|3016|-8566
Kovel|UA|5122|2472
Porto Santana|BR|-4|-5118
Ust-Ulimsk|RU|5799|10263
Bendigo|AU|-3676|14428
Al Ahmadi|KW|2908|4808
Saywun|YE|1594|4879
Sur|OM|2258|5953
Sao Joao del Rei|BR|-2113|-4425
Kamloops|CA|5067|-12033
Sao Joao da Boa Vista|BR|-2198|-4679
Kongolo|CD|-538|2698
Phetchaburi|TH|1311|9994
Albury|AU|-3606|14692
Kanoya|JP|3138|13085
Kara Balta|KG|4283|7389
Tatvan|TR|3851|4228
Winter Haven|US|2802|-8173
Bolgatanga|GH|1079|-85
Vratsa|BG|4321|2356
Lodja|CD|-349|2342
Matara|LK|595|8054
Gävle|SE|6067|1717
Oturkpo|NG|719|813
Cuamba|MZ|-1479|3654
Esbjerg|DK|5547|845
Johnson City|US|3631|-8235
Missoula|US|4687|-11399
Pontiac|US|4265|-8329
Luleburgaz|TR|4141|2736
Liuhe|CN|4228|12572
Oshkosh|US|4403|-8854
Minxian|CN|3444|10403
Deva|RO|4588|2292
Rapid City|US|4408|-10323
Sakhon Nakhon|TH|1717|10415
Cozumel|MX|2051|-8695
Huacho|PE|-1111|-7762
Uttaradit|TH|1763|10010
El Bayadh|DZ|3369|101
Oktyabrskiy|RU|5266|15624|Kamchatka
Ragusa|IT|3693|1473
Shadrinsk|RU|5608|6363
Kericho|KE|-36|3528
Kasese|UG|23|2999
Lanxi|CN|4627|12628
Jaltipan|MX|1794|-9474
Huntington|US|3842|-8245
Turkmenbasy|TM|4002|5297
Ongjin|KP|3794|12536
Bani|DO|1828|-7033
Karlstad|SE|5937|1350
St.-Jerome|CA|4577|-7400
Dera Ismail Khan|PK|3183|7090
Las Heras|AR|-3283|-6880
Hania|GR|3551|2402
Palmerston North|NZ|-4035|17561
Mansehra|PK|3434|7320
Linkou|CN|4528|13025
Nalut|LY|3188|1097
Bethlehem|ZA|-2822|2830
Honiara|SB|-944|15995
Pyongsan|KP|3834|12639
Obninsk|RU|5508|3662
Burlington|US|4448|-7321|Vermont
Burdur|TR|3772|3028
Junin|AR|-3458|-6096
Alba Lulia|RO|4608|2358
Mackay|AU|-2114|14915
Pedro Juan Caballero|PY|-2254|-5576
Garissa|KE|-44|3967
Lugano|CH|4600|897
Kompong Chhnang|KH|1225|10467
Idaho Falls|US|4347|-11203
Sabanalarga|CO|1064|-7492
Sodo|ET|690|3775
Narva|EE|5938|2816
As Suwayda|SY|3270|3657
Lesosibirsk|RU|5824|9248
Panaji|IN|1549|7382
Janesville|US|4268|-8902
Masaka|UG|-33|3173
Natitingou|BJ|1032|139
Itumbiara|BR|-1840|-4921
Debre Markos|ET|1034|3772
Soyo|AO|-613|1237
Bawku|GH|1106|-24
Bekescsaba|HU|4667|2110
Terre Haute|US|3947|-8741
Launceston|AU|-4145|14713
Olavarria|AR|-3690|-6033
Ji-Parana|BR|-1083|-6197
Santo Angelo|BR|-2830|-5428
Borisoglebsk|RU|5137|4209
Surigao|PH|978|12549
Comayagua|HN|1446|-8765
Hickory|US|3573|-8134
State College|US|4079|-7786
Krasnoturinsk|RU|5979|6048
Beaver Falls|US|4075|-8032
Yacuiba|AR|-2203|-6370
Rafha|SA|2962|4349
Binga|CD|238|2042
Biu|NG|1062|1219
Lethbridge|CA|4970|-11283
Jelgava|LV|5665|2371
Mardin|TR|3731|4074
Parintins|BR|-261|-5674
Nepalganj|NP|2805|8162
Foumban|CM|573|1090
Kilinochchi|LK|940|8040
Hobart|AU|-4285|14730
Lisala|CD|214|2151
Taloqan|AF|3673|6954
Tres Lagoas|BR|-2079|-5172
Cheyenne|US|4114|-10482
Ouezzane|MA|3481|-557
Prince George|CA|5392|-12277
Borås|SE|5773|1292
Zrenjanin|RS|4538|2040
Apatity|RU|6757|3339
Mansfield|US|4076|-8252
Kolda|SN|1291|-1495
Ituiutaba|BR|-1897|-4946
Kangar|MY|643|10019
Ramla|IL|3192|3487
Manokwari|ID|-87|13407
Kanchanaburi|TH|1402|9952
Biel|CH|4717|725
Matehuala|MX|2366|-10065
Saki|AZ|4119|4717
Chukai|MY|423|10345
Samut Sakhon|TH|1354|10027
Kakamega|KE|29|3473
Karakol|KG|4249|7838
Asti|IT|4493|821
Tan Tan|MA|2843|-1110
Sao Mateus|BR|-1873|-3986
Bhairawa|NP|2753|8338
Zalau|RO|4718|2306
Vilhena|BR|-1272|-6012
Kilifi|KE|-361|3985
Chalkida|GR|3846|2361
Phyarpon|MM|1629|9568
Victoria|US|2880|-9700
Mindelo|CV|1688|-2500
Balboa|PA|895|-7957
Rzhev|RU|5626|3433
Kars|TR|4061|4310
Altoona|US|4052|-7839
Tejen|TM|3738|6050
Jackson|US|3561|-8881|Tennessee
Formosa|BR|-1554|-4734
Tataouine|TN|3300|1047
Maizuru|JP|3545|13533
Galveston|US|2930|-9480
Balakhna|RU|5649|4359
Battle Creek|US|4232|-8518
Tikhoretsk|RU|4585|4014
Oudtshoorn|ZA|-3358|2219
Svobodnyy|RU|5141|12813
Juchitan|MX|1643|-9502
Belize City|BZ|1750|-8819
Assen|NL|5300|655
L'Aquila|IT|4235|1339
Kontagora|NG|1040|547
Upington|ZA|-2846|2123
Volsk|RU|5203|4737
Veszprem|HU|4709|1791
Zalaegerszeg|HU|4684|1684
Auburn|US|3261|-8548
Cachoeira do Sul|BR|-3003|-5291
Bamian|AF|3482|6752
Bassar|TG|926|79
Moca|DO|1940|-7052
Tuymazy|RU|5460|5369
Agana|GU|1347|14475
Dothan|US|3122|-8539
Medenine|TN|3340|1042
Tanjungpandan|ID|-275|10765
Bunia|CD|156|3024
Debre Birhan|ET|968|3953
Fengcheng|CN|2820|11577
Kalamata|GR|3704|2211
Kaspiysk|RU|4287|4762
Marietta|US|3396|-8454
Bowling Green|US|3699|-8644|Kentucky
Sarqan|KZ|4542|7991
Great Falls|US|4750|-11130
Charlottesville|US|3803|-7848
Troyes|FR|4834|408
New London|US|4136|-7210
Grand Bassam|CI|520|-375
Zahle|LB|3385|3590
Chusovoy|RU|5829|5781
Puerto Madryn|AR|-4277|-6504
Owensboro|US|3777|-8711
Nowra|AU|-3488|15060
Yopal|CO|535|-7241
Cherbourg|FR|4965|-165
Guamuchil|MX|2547|-10809
Bouafle|CI|698|-575
Qinggang|CN|4669|12610
Ende|ID|-886|12165
Sundsvall|SE|6240|1732
Trnava|SK|4837|1760
Klintsy|RU|5277|3224
Alexandria|US|3131|-9245|Louisiana
Iskitim|RU|5465|8329
Ishim|RU|5615|6945
Jaboticabal|BR|-2125|-4833
Flagstaff|US|3520|-11165
San Fernando|CL|-3458|-7099
Sopore|IN|3430|7447
Sfintu-Gheorghe|RO|4587|2579
Homestead|US|2547|-8048
Kayes|CG|-418|1328
Wiener Neustadt|AT|4782|1625
Tidore|ID|70|12744
Berberati|CF|425|1578
Langzhong|CN|3158|10597
Marsala|IT|3781|1244
Chulucanas|PE|-509|-8017
Nova Lima|BR|-1998|-4385
Vyska|RU|5532|4216
Pula|HR|4487|1385
Joplin|US|3708|-9451
Bismarck|US|4681|-10078
Villa Carlos Paz|AR|-3142|-6450
Lankaran|AZ|3875|4885
Stralsund|DE|5430|1310
Koktokay|CN|4700|8947
Nabatiye et Tahta|LB|3338|3545
Tartagal|AR|-2255|-6381
Kungur|RU|5743|5695
Babahoyo|EC|-180|-7954
Dubuque|US|4250|-9066
Al Musayyib|IQ|3278|4429
Shuya|RU|5685|4136
Ciudad Hidalgo|MX|1968|-10057
Kotlas|RU|6126|4666
Truc Giang|VN|1023|10637
Agrinio|GR|3862|2141
Dengzhou|CN|3268|11208
Xigaze|CN|2925|8888
Crotone|IT|3908|1712
Arecibo|PR|1844|-6673
Coban|GT|1547|-9038
Benevento|IT|4113|1475
Rio Verde|MX|2193|-9998
Zadar|HR|4412|1526
Aleksin|RU|5451|3709
Beledweyne|SO|474|4520
Georgievsk|RU|4416|4347
Azua|DO|1845|-7073
Santa Rosa|BR|-2787|-5446
Greenock|GB|5593|-475
Kasongo|CD|-445|2666
Ijui|BR|-2839|-5392
Rockhampton|AU|-2336|15052
Putrajaya|MY|291|10170
Watampone|ID|-453|12033
Tezpur|IN|2663|9280
Kamphaeng Phet|TH|1647|9953
Annapolis|US|3898|-7649
Tuxpam|MX|2096|-9741
Logan|US|4174|-11183
Farah|AF|3239|6210
Atlantic City|US|3936|-7442
San Marcos|US|2988|-9794
Santa Ines|BR|-366|-4539
Hagerstown|US|3964|-7772
Temple|US|3110|-9736
Beja|TN|3673|919
Medicine Hat|CA|5003|-11068
Jonesboro|US|3584|-9070
Escuintla|MX|1533|-9263
Kristiansand|NO|5817|800
Korce|AL|4062|2077
San Andres|CO|1256|-8169
Kirklareli|TR|4174|2723
Kogalym|RU|6204|7449
Ariquemes|BR|-994|-6308
Hai Duong|VN|2094|10633
Narathiwat|TH|643|10182
Mazabuka|ZM|-1586|2776
Angoche|MZ|-1623|3991
Goiana|BR|-756|-3500
Qunghirot|UZ|4307|5890
Molepolole|BW|-2440|2551
Belebey|RU|5413|5412
Moron|CU|2211|-7863
Stepanakert|AZ|3982|4675
Suileng|CN|4725|12711
Guines|CU|2284|-8203
Ferkessedougou|CI|960|-520
Gorno Altaysk|RU|5196|8596
Alton|US|3889|-9018
Gaalkacyo|SO|677|4743
Mikhaylovka|RU|5007|4322
Pocatello|US|4287|-11244
Bacabal|BR|-423|-4480
Ayr|GB|5545|-462
Borovichi|RU|5840|3390
Sunshine Coast|AU|-2668|15305
Cayenne|GF|493|-5233
Rocky Mount|US|3594|-7779
Cacador|BR|-2677|-5102
Jatai|BR|-1788|-5175
Al Mafraq|JO|3228|3623
Kissidougou|GN|919|-1012
Adrar|DZ|2787|-29
Shaowu|CN|2730|11750
Braganca|BR|-105|-4677
Cruzeiro do Sul|BR|-763|-7267
Ames|US|4205|-9362
Drummondville|CA|4588|-7248
Port Charlotte|US|2700|-8211
Uige|AO|-762|1505
Napier|NZ|-3949|17692
Sungaipenuh|ID|-206|10140
Altamira|BR|-320|-5221
Conway|US|3509|-9245
Arsenyev|RU|4416|13328
Birni Nkonni|NE|1379|526
Eger|HU|4790|2038
Iguatu|BR|-636|-3930
Valenca|BR|-1336|-3908
Roanne|FR|4603|407
Rodos|GR|3644|2822
Chabahar|IR|2530|6063
Lorca|ES|3769|-170
Monastir|TN|3573|1077
Magong|TW|2357|11958
Kadoma|ZW|-1833|2991
Tiznit|MA|2971|-974
Alxa Zuoqi|CN|3884|10567
Mamou|GN|1038|-1210
Zouirat|MR|2273|-1248
Prachin Buri|TH|1406|10138
Casper|US|4287|-10631
Wausau|US|4496|-8963
Kavala|GR|4094|2440
Nizhnyaya Tura|RU|5864|5980
Slidell|US|3027|-8978
Punta Alta|AR|-3888|-6208
Bungoma|KE|57|3456
Pirapora|BR|-1733|-4493
Lautoka|FJ|-1762|17747
Bani Walid|LY|3177|1399
Kentau|KZ|4352|6852
Gualeguaychu|AR|-3302|-5852
Jabal Ali|AE|2498|5501
Manacapuru|BR|-329|-6062
Texas City|US|2941|-9496
Parachinar|PK|3390|7010
Civitavecchia|IT|4210|1180
Evora|PT|3856|-791
Arras|FR|5028|278
Fernandopolis|BR|-2027|-5026
Springfield|US|4405|-12298|Oregon
Lake Havasu City|US|3450|-11431
Milagro|EC|-218|-7960
Halmstad|SE|5667|1286
Itapeva|BR|-2398|-4888
Zarafshon|UZ|4158|6420
San Pedro|AR|-2422|-6487
Khujayli|UZ|4240|5945
Chaiyaphum|TH|1580|10204
Caborca|MX|3072|-11216
Kalasin|TH|1643|10351
Calbayog|PH|1207|12460
Port Arthur|US|2990|-9393
Heihe|CN|5025|12745
Nkawkaw|GH|655|-78
Kati|ML|1275|-808
Puerto Barrios|GT|1572|-8859
Corvallis|US|4457|-12328
Meiganga|CM|652|1429
Ed Dueim|SD|1399|3230
San Luis Obispo|US|3528|-12066
Salsk|RU|4648|4154
Ridder|KZ|5036|8351
Mafetang|LS|-2982|2725
Sibay|RU|5271|5864
Dover|US|3916|-7552
Ningan|CN|4433|12947
Surin|TH|1489|10349
Lappeenranta|FI|6107|2818
El Carmen de Bolivar|CO|972|-7513
Brive|FR|4515|153
Mazatenango|GT|1453|-9151
Az Zahran|SA|2629|5016
Arba Minch|ET|604|3755
Gangtok|IN|2733|8862
Roslavl|RU|5395|3286
Ash Shihr|YE|1476|4961
Aveiro|PT|4064|-865
Lima|US|4074|-8411
Viedma|AR|-4080|-6300
Abancay|PE|-1364|-7289
Chicoutimi|CA|4843|-7107
Illichivsk|UA|4630|3067
Toledo|ES|3987|-402
Blacksburg|US|3723|-8041
Telemaco Borba|BR|-2433|-5062
Carson City|US|3916|-11977
Bac Giang|VN|2127|10620
San Pedro de las Colonias|MX|2576|-10298
Charikar|AF|3502|6917
Kokomo|US|4049|-8613
Catalao|BR|-1818|-4795
Concepcion|PY|-2341|-5743
Nan|TH|1879|10077
Mbalmayo|CM|352|1150
Hattiesburg|US|3133|-8929
Grand Forks|US|4793|-9703
Tarbes|FR|4323|8
Upata|VE|802|-6241
Valdosta|US|3083|-8328
Supham Buri|TH|1447|10013
Joensuu|FI|6260|2977
Leninogorsk|RU|5460|5245
Whangarei|NZ|-3572|17431
Melo|UY|-3236|-5418
Taxco|MX|1857|-9962
Qingan|CN|4687|12751
Ilo|PE|-1764|-7134
Los Andes|CL|-3283|-7060
Turnovo|BG|4309|2566
Gelendzhik|RU|4457|3806
Nuevo Casas Grandes|MX|3042|-10791
Växjö|SE|5688|1482
Arcoverde|BR|-842|-3707
Tacuarembo|UY|-3171|-5598
Tadmur|SY|3455|3828
Tulare|US|3621|-11934
St.-Brieuc|FR|4852|-278
Bitlis|TR|3839|4212
Serrinha|BR|-1165|-3901
Pamplona|CO|739|-7266
Mandurah|AU|-3252|11575
Chinhoyi|ZW|-1736|3018
St. Charles|US|3860|-7694|Maryland
Sayanogorsk|RU|5309|9140
Hof|DE|5032|1192
Slobozia|RO|4457|2738
Baiquan|CN|4760|12608
Lokoja|NG|780|674
Kilosa|TZ|-684|3699
Jijiga|ET|935|4279
Rongzhag|CN|3095|10192
Uvinza|TZ|-512|3039
Feyzabad|AF|3713|7058
Merida|ES|3891|-634
Linares|MX|2486|-9957
Puerto Maldonado|PE|-1260|-6918
Krasnokamensk|RU|5007|11803
Livny|RU|5242|3760
Oak Park|US|4188|-8780
Chistopol|RU|5536|5064
Basankusu|CD|123|1980
Texarkana|US|3344|-9404
Venado Tuerto|AR|-3375|-6197
Jihlava|CZ|4940|1558
Azogues|EC|-274|-7884
Chilliwack|CA|4917|-12195
Usulutan|SV|1335|-8843
Guadalajara|ES|4063|-317
Coari|BR|-408|-6313
Maldonado|UY|-3491|-5496
Buguruslan|RU|5366|5243
Lao Chi|VN|2250|10397
Guajara-Miram|BR|-1080|-6535
Tupa|BR|-2193|-5052
Solwezi|ZM|-1218|2640
Pirassununga|BR|-2199|-4743
Cheremkhovo|RU|5316|10307
Paracatu|BR|-1720|-4687
Vero Beach|US|2764|-8039
Puerto Ayacucho|VE|566|-6762
Labinsk|RU|4463|4074
Karlovac|HR|4549|1555
Maha Sarakham|TH|1618|10330
Thakhek|LA|1741|10484
Bay City|US|4359|-8389|Michigan
Itacoatiara|BR|-314|-5844
Rotorua|NZ|-3813|17625
Coburg|DE|5027|1097
Pine Bluff|US|3423|-9200
Jendouba|TN|3650|875
Jacundá|BR|-460|-4939
Timbauba|BR|-750|-3532
Elk|PL|5383|2235
Longview|US|4614|-12294|Washington
Manhattan|US|3919|-9659
Vejle|DK|5571|953
Sheboygan|US|4375|-8771
Sefra|DZ|3276|-58
Nyeri|KE|-42|3695
Jinotega|NI|1309|-8600
Musan|KP|4223|12923
Seres|GR|4109|2355
Oranjestad|AW|1253|-7003
Al Karak|JO|3119|3570
Katerini|GR|4027|2250
Ye|MM|1525|9787
Tikhvin|RU|5964|3351
Campobasso|IT|4156|1466
Kingsport|US|3655|-8256
Estancia|BR|-1127|-3745
Phetchabun|TH|1642|10116
Salima|MW|-1378|3443
Kimry|RU|5687|3734
Ushuaia|AR|-5479|-6831
Lahat|ID|-380|10353
Andkhvoy|AF|3693|6510
Araguaina|BR|-719|-4821
Krasnokamsk|RU|5807|5574
Sawahlunto|ID|-67|10078
Ma'an|JO|3019|3574
Lobatse|BW|-2522|2568
Zelenodolsk|RU|5584|4866
Vyshnniy Volochek|RU|5758|3456
Porto Uniao|BR|-2624|-5108
Sault Ste. Marie|US|4650|-8435
Yevlax|AZ|4062|4715
Pa-an|MM|1685|9762
Passau|AT|4857|1347
El Kharga|EG|2544|3055
Portimao|PT|3713|-853
Zaranj|AF|3111|6189
Apia|WS|-1384|-17174
Tacheng|CN|4675|8295
Emden|DE|5337|722
Ad Nabk|SY|3402|3673
Chachoengsao|TH|1368|10108
Tucupita|VE|906|-6206
Kyustendil|BG|4228|2269
Chiquinquira|CO|562|-7382
Linares|ES|3808|-363
Tikrit|IQ|3460|4368
Walvis Bay|NA|-2296|1451
Registro|BR|-2449|-4784
Marzuq|LY|2590|1390
Xanthi|GR|4114|2488
Alexandria|RO|4390|2529
Mercedes|AR|-3369|-6547|San Luis
Waterford|IE|5226|-711
San Felipe|CL|-3275|-7072
Jaen|PE|-571|-7881
Fengjie|CN|3105|10952
Carazinho|BR|-2829|-5280
Vyazma|RU|5521|3429
Montepuez|MZ|-1312|3900
Kanash|RU|5551|4747
Coffs Harbour|AU|-3031|15311
Cahul|MD|4591|2819
Larnaca|CY|3492|3364
Vaasa|FI|6310|2160
Barra do Corda|BR|-551|-4526
Tromsø|NO|6964|1899
Bijar|IR|3587|4759
Arqalyq|KZ|5024|6690
Siena|IT|4332|1135
Alexandroupoli|GR|4085|2587
Kumertau|RU|5277|5578
Songkhla|TH|721|10056
Namtu|MM|2308|9740
Vigan|PH|1757|12039
Bairin Zuoqi|CN|4398|11918
Verkhnyaya Salda|RU|5805|6055
Yamburg|RU|6835|7713
Sao Borja|BR|-2866|-5601
Allanmyo|MM|1938|9523
Cojutepeque|SV|1372|-8893
Mercedes|AR|-3466|-5944|Ciudad de Buenos Aires
Tulun|RU|5457|10057
Asadabad|AF|3487|7115
Rio Verde|BR|-1782|-5093
Mao|DO|1955|-7107
Concepcion del Uruguay|AR|-3248|-5824
Houma|US|2960|-9072
Tefe|BR|-336|-6470
Smara|MA|2673|-1168
Kankakee|US|4112|-8786
Khanty Mansiysk|RU|6100|6900
Fond du Lac|US|4377|-8845
Irece|BR|-1130|-4187
Albany|US|4462|-12309|Oregon
Solnechnogorsk|RU|5618|3698
Kibuye|RW|-205|2935
Bombo|UG|58|3253
Serowe|BW|-2239|2671
Paita|PE|-509|-8112
Ratnapura|LK|669|8039
Belaya Kalitva|RU|4819|4079
Singida|TZ|-482|3474
Banes|CU|2096|-7572
Tokar|SD|1843|3773
Hilo|US|1970|-15509
Picos|BR|-708|-4144
Hlotse|LS|-2888|2806
Megion|RU|6106|7610
Mahalapye|BW|-2310|2682
Cornwall|CA|4502|-7473
Cutral Co|AR|-3894|-6924
Prescott|US|3459|-11245
Libertador General San Martin|AR|-2382|-6479
Caratinga|BR|-1979|-4214
Titusville|US|2861|-8081
Montana|BG|4341|2324
Ladysmith|ZA|-2855|2978
Novy Urengoy|RU|6608|7663
Bambari|CF|576|2067
Zyryanovsk|KZ|4975|8425
Buriram|TH|1500|10312
Vacaria|BR|-2850|-5094
Hameenlinna|FI|6100|2447
Lamia|GR|3890|2243
Meru|KE|6|3764
Arjona|CO|1026|-7535
Rosso|MR|1652|-1581
Arrecife|ES|2897|-1354
Canela|BR|-2936|-5081
Mandeville|JM|1803|-7750
Tamazunchale|MX|2127|-9878
Busia|UG|45|3408
Luleå|SE|6560|2216
Yishan|CN|2450|10867
Maun|BW|-1999|2342
Puzi|TW|2346|12024
Dila|ET|641|3831
Korogwe|TZ|-509|3854
Boosaaso|SO|1128|4918
Monchegorsk|RU|6793|3283
Sandnes|NO|5885|569
Ajaccio|FR|4193|873
Aketi|CD|274|2378
Siguiri|GN|1142|-917
Salina|US|3882|-9761
Berat|AL|4071|1997
Gannan|CN|4792|12351
Breves|BR|-168|-5049
Nuevitas|CU|2155|-7726
Zima|RU|5393|10203
Embu|KE|-52|3745
Parkersburg|US|3927|-8156
Kokkola|FI|6383|2312
Severomorsk|RU|6907|3342
Changling|CN|4427|12399
Lewiston|US|4410|-7022|Maine
Lorica|CO|924|-7582
Mikkeli|FI|6169|2729
Arauca|CO|709|-7076
Middelburg|NL|5150|361
General Pico|AR|-3566|-6377
Dosso|NE|1305|320
Dimbokro|CI|665|-471
Gryazi|RU|5249|3993
Otradnyy|RU|5338|5135
Puntarenas|CR|997|-8483
Mt. Hagen|PG|-586|14422
Morshansk|RU|5345|4180
Agen|FR|4420|63
New Plymouth|NZ|-3906|17408
Kyshtym|RU|5570|6056
Kibungo|RW|-217|3053
Nyagan|RU|6215|6538
Elmira|US|4209|-7681
Markala|ML|1367|-607
Concordia|BR|-2723|-5203
Manono|CD|-730|2745
Formiga|BR|-2046|-4543
Bundaberg|AU|-2488|15235
Standerton|ZA|-2694|2924
Artemisa|CU|2281|-8276
Leticia|CO|-422|-6994
Moyobamba|PE|-605|-7697
Poti|GE|4216|4167
North Bay|CA|4630|-7945
Mahdia|TN|3548|1104
Enid|US|3640|-9788
Pechora|RU|6516|5721
Curvelo|BR|-1876|-4443
Banfora|BF|1063|-476
Amursk|RU|5022|13690
Wenatchee|US|4742|-12031
Torzhok|RU|5703|3498
Jalapa|GT|1463|-8999
Capanema|BR|-119|-4718
Johnstown|US|4033|-7892
Kanye|BW|-2497|2534
Mankato|US|4416|-9400
Guanambi|BR|-1423|-4279
Andradina|BR|-2091|-5138
Puttalan|LK|803|7983
Santiago|PA|810|-8098
Kahemba|CD|-728|1900
Komatini|GR|4113|2542
Shaoyang|CN|2700|11120
Gurupi|BR|-1172|-4906
Wakema|MM|1661|9518
Wagga Wagga|AU|-3512|14734
Ithaca|US|4244|-7650
Jefferson City|US|3858|-9217
Ålesund|NO|6255|639
Solola|GT|1477|-9118
Volkhov|RU|5993|3234
Dedougou|BF|1246|-346
Koidu|SL|844|-1085
Salcedo|DO|1938|-7042
New Braunfels|US|2970|-9813
Bossangoa|CF|648|1745
Rida|YE|1443|4483
Mweka|CD|-484|2157
Stillwater|US|3614|-9707
Grand Island|US|4092|-9836
Pittsfield|US|4245|-7326
Numan|NG|946|1204
Mae Sot|TH|1672|9857
Camaqua|BR|-3084|-5181
Leiria|PT|3974|-880
Mongu|ZM|-1528|2312
Roswell|US|3339|-10452
Dalton|US|3477|-8497
Palm Coast|US|2954|-8122
Iganga|UG|61|3347
Nakhon Phanom|TH|1739|10477
Tayshet|RU|5593|9799
Itanagar|IN|2710|9362
Nevers|FR|4698|317
Machiques|VE|1007|-7255
Yefremov|RU|5315|3812
Zhetiqara|KZ|5219|6124
Autlan|MX|1977|-10437
Badulla|LK|698|8105
Spassk Dalniy|RU|4460|13282
Lahij|YE|1306|4488
Penapolis|BR|-2141|-5008
Madang|PG|-522|14579
Ruzayevka|RU|5406|4492
Kabale|UG|-125|2998
Chosica|PE|-1193|-7671
Östersund|SE|6318|1465
Trollhättan|SE|5827|1230
Fredericton|CA|4595|-6663
Mugla|TR|3722|2836
Mandera|SO|394|4186
Safonovo|RU|5515|3322
Aksum|ET|1413|3872
Olbia|IT|4091|952
Gogrial|SS|853|2812
Rio Negro|BR|-2610|-4979
Alatyr|RU|5485|4660
Ruteng|ID|-861|12047
Atar|MR|2052|-1305
Trujillo|VE|938|-7044
St. Augustine|US|2989|-8131
Buta|CD|282|2474
Shahhat|LY|3283|2186
Changyon|KP|3825|12510
Sonbong|KP|4234|13040
Padangpanjang|ID|-45|10042
Valladolid|MX|2067|-8820
Batatais|BR|-2089|-4759
Chitre|PA|797|-8042
Timashevsk|RU|4562|3894
Naryn|KG|4143|7599
Belleville|CA|4417|-7738
Florence|US|3420|-7976|South Carolina
Morgantown|US|3963|-7996
Biloxi|US|3040|-8889
Williamsport|US|4124|-7700
Freeport|US|2896|-9536
Chivilcoy|AR|-3490|-6004
Alapayevsk|RU|5785|6169
Fairbanks|US|6484|-14771
Senhor do Bonfim|BR|-1045|-4019
Mbaiki|CF|387|1800
Luwuk|ID|-94|12279
Phatthalung|TH|761|10008
Rundu|NA|-1792|1975
Anderson|US|3450|-8265
Quincy|US|3994|-9141
Azul|AR|-3678|-5987
Guaxupe|BR|-2129|-4671
Laranjal do Jari|BR|-85|-5248
Mozdok|RU|4375|4465
Huinan|CN|4262|12626
San Francisco|AR|-3143|-6209
Itapetinga|BR|-1525|-4025
Coihaique|CL|-4557|-7207
Danville|US|3659|-7940
Apsheronsk|RU|4447|3973
Voznesensk|UA|4755|3133
Mozhga|RU|5645|5218
Novozybkov|RU|5253|3194
Garzon|CO|221|-7565
Huancavelica|PE|-1279|-7499
Twin Falls|US|4256|-11446
Inverness|GB|5747|-423
Goldsboro|US|3539|-7799
Farmington|US|3675|-10819
Usinsk|RU|6592|5740
Sisaket|TH|1512|10433
Ergun Zuoqi|CN|5078|12152
Dzhankoy|UA|4572|3440
Ventspils|LV|5739|2156
Aweil|SS|877|2740
Polevskoy|RU|5644|6019
Kaga Bandoro|CF|698|1918
Fort Portal|UG|67|3028
Concord|US|4321|-7154
Xinqing|CN|4824|12951
Wum|CM|640|1007
Hulin|CN|4577|13299
Hutchinson|US|3807|-9792
Jutiapa|GT|1429|-8990
Birak|LY|2753|1428
Delano|US|3576|-11924
Hakkari|TR|3757|4374
Caico|BR|-646|-3710
Kotabumi|ID|-483|10490
Nkhotakota|MW|-1292|3430
Chernyakhovsk|RU|5463|2181
Lancaster|US|3972|-8261|Ohio
Choma|ZM|-1681|2697
Bulungu|CD|-455|1860
El Kef|TN|3618|871
Roskilde|DK|5565|1208
Batouri|CM|443|1437
Ferrenafe|PE|-663|-7980
Turbo|CO|810|-7674
Lovec|BG|4314|2472
Mbanza-Congo|AO|-627|1424
Ararangua|BR|-2894|-4950
Macenta|GN|855|-948
Harrisonburg|US|3845|-7887
Lop Buri|TH|1480|10062
Tzaneen|ZA|-2382|3017
Sdid Bouzid|TN|3502|950
Port Macquarie|AU|-3145|15292
Campo Belo|BR|-2089|-4528
Njombe|TZ|-933|3477
Mercedes|UY|-3326|-5803
Winneba|GH|535|-63
Saratoga Springs|US|4308|-7379
Sao Gabriel|BR|-3032|-5432
Ambatondrazaka|MG|-1783|4842
Huajuapan de Leon|MX|1781|-9779
Shawinigan|CA|4655|-7273
El Centro|US|3279|-11556
Conroe|US|3031|-9546
Cotui|DO|1906|-7015
Bagamoyo|TZ|-644|3889
Irati|BR|-2547|-5066
Liberia|CR|1063|-8543
Chiquimula|GT|1480|-8954
Sao Jose de Ribamar|BR|-255|-4407
Poso|ID|-139|12076
Lushnje|AL|4094|1972
Mariinsk|RU|5621|8776
Tizimin|MX|2113|-8815
Shebekino|RU|5041|3689
Barra do Garcas|BR|-1588|-5226
Bafia|CM|475|1123
Naivasha|KE|-71|3643
Villarrica|PY|-2575|-5643
Grand Prairie|CA|5517|-11880
Cao Bang|VN|2266|10627
Shu|KZ|4360|7374
Palmeira dos Indios|BR|-942|-3662
Franceville|GA|-163|1358
Pol-e Khomri|AF|3595|6870
Nizhneudinsk|RU|5490|9903
Richmond|US|3983|-8489|Indiana
New Amsterdam|GY|625|-5753
Wheeling|US|4006|-8072
Saurimo|AO|-966|2039
Kamenna Obi|RU|5379|8134
Meridian|US|3236|-8870
Bangor|US|4480|-6878
Hot Springs|US|3450|-9306
Florence|US|3480|-8768|Alabama
Ponta Delgada|PT|3775|-2567
Sagua la Grande|CU|2281|-8007
Partizansk|RU|4313|13313
Mocambique|MZ|-1504|4068
Bom Jesus da Lapa|BR|-1325|-4344
Colon|CU|2272|-8091
Antalaha|MG|-1488|5028
Slobodskoy|RU|5872|5019
Bastia|FR|4270|945
Moatize|MZ|-1610|3395
Alta Floresta|BR|-990|-5591
Chone|EC|-69|-8009
Ponte Nova|BR|-2041|-4290
Crateus|BR|-517|-4067
Qapshaghay|KZ|4388|7707
Bilecik|TR|4015|2998
Hon Quan|VN|1165|10660
Arawa|PG|-623|15557
Balykchy|KG|4246|7619
Parnu|EE|5837|2451
Wajir|KE|175|4005
Krasnoufimsk|RU|5660|5776
Mango|TG|1036|47
Canoinhas|BR|-2618|-5040
Montemorelos|MX|2519|-9984
Sovetsk|RU|5507|2188|Kaliningrad
Buzmeyin|TM|3805|5821
Orongen Zizhiqi|CN|5057|12372
Frolovo|RU|4977|4365
Lewiston|US|4642|-11702|Idaho
Tehuantepec|MX|1633|-9523
Joliette|CA|4603|-7343
Bluefields|NI|1200|-8376
Miercurea Cuic|RO|4636|2552
Salama|GT|1510|-9031
Tômbua|AO|-1580|1186
Port Vila|VU|-1773|16832
Hanggin Houqi|CN|4088|10714
Richland|US|4629|-11929
Yian|CN|4788|12530
Chernogorsk|RU|5383|9122
Balsas|BR|-752|-4605
Daman|IN|2042|7285
Gay|RU|5147|5845
Mochudi|BW|-2438|2615
Eagle Pass|US|2871|-10049
Ayakoz|KZ|4796|8043
Perth|GB|5640|-347
Salgotarjan|HU|4811|1983
El Banco|CO|900|-7398
Kaya|BF|1309|-109
Zacatecoluca|SV|1351|-8887
Minas|UY|-3437|-5523
Cabo San Lucas|MX|2289|-10990
Arys|KZ|4244|6880
Winchester|US|3918|-7817
Hagere Hiywet|ET|898|3785
Antigua Guatemala|GT|1457|-9073
Roi Et|TH|1605|10365
Gadsden|US|3401|-8601
Lesozavodsk|RU|4547|13343
Goianesia|BR|-1531|-4913
Artemovskiy|RU|5737|6187
Hastings|NZ|-3964|17684
Dieppe|FR|4993|108
Bozeman|US|4568|-11104
Toumodi|CI|655|-502
Strezhevoy|RU|6073|7758
Muskogee|US|3575|-9537
Mollendo|PE|-1702|-7202
Xam Nua|LA|2042|10403
Borlänge|SE|6048|1542
Tønsberg|NO|5926|1042
Dundalk|IE|5400|-642
Banjul|GM|1345|-1659
Sherman|US|3364|-9661
Janauba|BR|-1580|-4331
Alekseyevka|RU|5065|3869
Moquegua|PE|-1719|-7094
General Roca|AR|-3902|-6761
Umm al Qaywayn|AE|2557|5555
Bondoukou|CI|803|-280
Tucurui|BR|-368|-4972
Lufkin|US|3134|-9473
Garca|BR|-2222|-4966
Ruyigi|BI|-348|3024
Castro|BR|-2479|-5001
Casa Grande|US|3288|-11176
Angol|CL|-3779|-7271
Puerto Cabezas|NI|1403|-8338
Razgrad|BG|4353|2654
Zvolen|SK|4858|1913
Rezekne|LV|5650|2732
Akhtubinsk|RU|4828|4617
Cape Girardeau|US|3731|-8952
Andorra|AD|4250|152
Paragominas|BR|-296|-4749
Vichuga|RU|5722|4193
Aquidauana|BR|-2047|-5579
Rio Tercero|AR|-3218|-6412
Auxerre|FR|4780|357
Uryupinsk|RU|5077|4200
Bullhead City|US|3515|-11457
Victoriaville|CA|4605|-7197
Remanso|BR|-960|-4211
Jamestown|US|4210|-7924|New York
Tenkodogo|BF|1178|-37
Vallenar|CL|-2857|-7076
Walla Walla|US|4607|-11834
Al Bayda|YE|1398|4557
Dori|BF|1403|-3
Kapan|AZ|3920|4641
San Antonio de los Banos|CU|2289|-8250
Aboisso|CI|547|-320
Pyu|MM|1848|9644
Gwadar|PK|2514|6233
Ciudad Constitucion|MX|2504|-11166
Sydney|CA|4607|-6018
Reo|BF|1233|-247
Penedo|BR|-1027|-3658
Sambava|MG|-1427|5017
Guiglo|CI|655|-749
Saldanha|ZA|-3301|1793
Mityana|UG|40|3205
Leopoldina|BR|-2153|-4264
Kabinda|CD|-613|2448
Myrtle Beach|US|3369|-7889
San Vicente|SV|1364|-8878
Port Shepstone|ZA|-3072|3046
'Ataq|YE|1455|4680
Tozeur|TN|3393|813
Minot|US|4823|-10130
Oyem|GA|162|1158
Invercargill|NZ|-4641|16837
Nelson|NZ|-4129|17325
Luga|RU|5874|2984
Sibenik|HR|4373|1591
Qulsary|KZ|4698|5402
Rayong|TH|1267|10128
Buchanan|LR|592|-1005
Kingstown|VC|1315|-6121
Sotik|KE|-68|3512
Charlottetown|CA|4625|-6313
Raub|MY|379|10184
Sisophon|KH|1358|10298
Aiken|US|3355|-8172
Orange|AU|-3328|14910
Grants Pass|US|4244|-12333
Retalhuleu|GT|1454|-9168
Bermejo|BO|-2273|-6435
Greenville|US|3341|-9106|Mississippi
Berekum|GH|745|-259
Falun|SE|6061|1565
San Jose de Mayo|UY|-3435|-5671
Tuyen Quang|VN|2182|10521
Kampot|KH|1062|10418
Monaco|MC|4374|741
Uglich|RU|5752|3833
Yirga Alem|ET|675|3841
Haugesund|NO|5941|528
Baykonur|KZ|4569|6324
Yandoon|MM|1704|9564
Tingo Maria|PE|-929|-7599
Inhumas|BR|-1636|-4950
Zacapa|GT|1497|-8953
Kasimov|RU|5494|4139
Guayaramerin|BO|-1083|-6541
Umm Ruwaba|SD|1291|3120
Hato Mayor|DO|1876|-6926
Thongwa|MM|1675|9652
Waingapu|ID|-966|12025
Berber|SD|1802|3398
Boyarka|RU|7077|9750
Paphos|CY|3476|3242
Asha|RU|5500|5727
Yemanzhelinsk|RU|5475|6129
Floriano|BR|-677|-4303
Ciudad Camargo|MX|2769|-10517
Comendador|DO|1888|-7171
Newport|US|4149|-7131
Wanganui|NZ|-3993|17503
Chake Chake|TZ|-524|3977
Del Rio|US|2936|-10090
Phichit|TH|1644|10035
Nueva Rosita|MX|2795|-10122
Qaratau|KZ|4319|7046
Moss|NO|5944|1067
Sokol|RU|5946|4011
Rimouski|CA|4843|-6852
Juticalpa|HN|1467|-8623
Ha Giang|VN|2283|10498
Cobija|BO|-1103|-6873
Barreiros|BR|-883|-3520
Zharkent|KZ|4416|7998
Juigalpa|NI|1211|-8538
Kundian|PK|3245|7147
Chur|CH|4685|950
Yarumal|CO|703|-7559
Atbasar|KZ|5182|6835
Oriximina|BR|-176|-5587
Zaraza|VE|934|-6532
Kahama|TZ|-382|3258
Shumerlya|RU|5548|4642
Zelenokumsk|RU|4441|4388
Karlskrona|SE|5620|1530
Vac|HU|4778|1913
Gbadolite|CD|429|2102
Praya|ID|-872|11629
Vichy|FR|4612|342
La Asuncion|VE|1103|-6388
Tamworth|AU|-3110|15092
Samut Songkhram|TH|1341|10000
Itamaraju|BR|-1704|-3953
Goycay|AZ|4065|4774
Mayda Shahr|AF|3445|6880
Pogradec|AL|4090|2066
Anbyon|KP|3903|12752
Drogheda|IE|5372|-635
New Iberia|US|3000|-9182
Kamsar|GN|1069|-1461
Placetas|CU|2232|-7966
Al Wajh|SA|2623|3646
Opobo|NG|457|756
La Barca|MX|2028|-10256
Bogoroditsk|RU|5377|3811
Kalmar|SE|5667|1637
Sinop|TR|4202|3515
Severouralsk|RU|6016|5996
Viacha|BO|-1665|-6830
Tres Arroyos|AR|-3837|-6027
Adjumani|UG|336|3181
Taibao|TW|2345|12033
Port-De-Paix|HT|1993|-7283
Benton Harbor|US|4212|-8645
Upper Hutt|NZ|-4114|17503
Zvishavane|ZW|-2033|3005
Satun|TH|662|10007
Coeur d'Alene|US|4768|-11678
Odienne|CI|951|-758
Huntsville|US|3072|-9555|Texas
Altagracia de Orituco|VE|985|-6638
Merauke|ID|-849|14040
Braganca|PT|4181|-676
Nanyuki|KE|2|3706
Moorhead|US|4687|-9674
Chimboy|UZ|4293|5977
Marion|US|4056|-8566
Pacasmayo|PE|-740|-7957
Szekszard|HU|4634|1871
Coroata|BR|-413|-4415
Ahuachapan|SV|1392|-8985
Aosta|IT|4574|732
Penticton|CA|4950|-11958
Eureka|US|4080|-12415
Durazno|UY|-3341|-5651
Hua Hin|TH|1257|9994
Kakata|LR|653|-1035
Timmins|CA|4847|-8133
Leesburg|US|2881|-8188
Ocotal|NI|1363|-8647
Tupelo|US|3426|-8870
Fada Ngourma|BF|1205|36
Salisbury|US|3567|-8047
Birsk|RU|5542|5554
Progreso|MX|2128|-8967
Knysna|ZA|-3403|2303
Zaozernyy|RU|5596|9470
Schaffhausen|CH|4771|863
Nagua|DO|1938|-6985
Kirov|RU|5409|3430|Kaluga
Orillia|CA|4460|-7942
Luuq|SO|380|4255
Paducah|US|3708|-8860
Caloundra|AU|-2680|15313
Villazon|BO|-2208|-6560
Alamogordo|US|3290|-10596
Russas|BR|-494|-3798
Hwange|ZW|-1837|2650
Rostov|RU|5719|3940|Yaroslavl'
Jacmel|HT|1823|-7254
Verkhniy Ufaley|RU|5607|6023
Jacarezinho|BR|-2316|-4998
Prachuap Khiri Khan|TH|1180|9980
Castelo Branco|PT|3981|-749
Clovis|US|3441|-10320
Panuco|MX|2206|-9819
Shepparton|AU|-3637|14539
Choybalsan|MN|4807|11451
Neryungri|RU|5667|12471
Dyatkovo|RU|5359|3434
La Oroya|PE|-1152|-7594
Karonga|MW|-993|3393
Mildura|AU|-3419|14215
Kingman|US|3519|-11405
Acu|BR|-558|-3691
Kampong Spoe|KH|1145|10452
Goba|ET|701|3997
Puerto Berrio|CO|648|-7442
Tynda|RU|5517|12471
Korsakov|RU|4664|14278
Bowling Green|US|4137|-8365|Ohio
Nukualofa|TO|-2114|-17522
San|ML|1330|-490
Tweed Heads|AU|-2818|15355
Rajbiraj|NP|2653|8673
Helena|US|4659|-11204
Ammochostos|CY|3513|3395
Pursat|KH|1253|10392
Graaff Reinet|ZA|-3230|2454
Kaniama|CD|-757|2417
Viborg|DK|5643|940
Velikiy Ustyug|RU|6077|4630
Hamilton|BM|3229|-6478
Cradock|ZA|-3220|2561
Alayat Samail|OM|2330|5798
Fribourg|CH|4680|715
Kholmsk|RU|4705|14206
Kitgum|UG|330|3287
Wailuku|US|2089|-15650
Kerkira|GR|3962|1991
Millerovo|RU|4894|4040
Dubrovnik|HR|4266|1809
Capitao Poco|BR|-175|-4709
Lota|CL|-3709|-7316
Sharya|RU|5838|4551
Piripiri|BR|-427|-4179
Staraya Russa|RU|5799|3135
Christiansted|VI|1775|-6475
Laguna|BR|-2848|-4878
Zanesville|US|3994|-8201
Quiemo|CN|3813|8553
Altay|MN|4640|9585
Beyneu|KZ|4518|5510
Salekhard|RU|6654|6661
Queanbeyan|AU|-3535|14921
Tavda|RU|5805|6526
Salinopolis|BR|-61|-4734
Carnot|CF|493|1587
Dover|GB|5113|130
Cleburne|US|3235|-9739
Gumushane|TR|4046|3948
Florida|UY|-3410|-5621
Frankfort|US|3820|-8487
Atamyrat|TM|3782|6520
Vibo Valentia|IT|3867|1610
Ali Sabih|DJ|1116|4271
Guarda|PT|4054|-726
Ob|RU|5500|8271
Caninde|BR|-435|-3931
Galesburg|US|4095|-9037
Artigas|UY|-3042|-5649
Kalgoorlie|AU|-3074|12146
Koupela|BF|1218|-36
El Golea|DZ|3057|288
Valuyki|RU|5021|3810
Arxan|CN|4718|11997
Kudymkar|RU|5902|5463
West Bend|US|4343|-8818
Kondopoga|RU|6221|3429
Ulaangom|MN|4998|9207
Seguela|CI|795|-667
Guryevsk|RU|5430|8594
Gbarnga|LR|701|-949
Honda|CO|519|-7475
Brunswick|US|3115|-8149
Itaberaba|BR|-1252|-4030
Olgiy|MN|4893|8995
Jacareacanga|BR|-627|-5765
Santa Rosa de Copan|HN|1477|-8878
Hopkinsville|US|3687|-8749
Vryburg|ZA|-2696|2473
Businga|CD|334|2087
Yalutorovsk|RU|5667|6630
Salgueiro|BR|-806|-3913
Masasi|TZ|-1073|3880
Izaz|SY|3659|3704
Masindi|UG|167|3172
Butte|US|4600|-11253
Bouar|CF|595|1560
Kribi|CM|294|991
Moose Jaw|CA|5040|-10555
Bezhetsk|RU|5776|3669
Bodø|NO|6725|1440
Mansa|ZM|-1120|2889
Bristol|US|3661|-8218
Neuchatel|CH|4700|692
Faro|PT|3702|-793
Kotovsk|RU|5259|4150
Krabi|TH|805|9891
Kasulu|TZ|-458|3010
Joacaba|BR|-2717|-5150
Kouvola|FI|6088|2671
Rivas|NI|1144|-8582
Pingxiang|CN|2210|10676|Guangxi
Rio Grande|AR|-5379|-6770
Klamath Falls|US|4223|-12178
Skellefteå|SE|6477|2095
Dumfries|GB|5507|-355
Itapipoca|BR|-350|-3958
Kohtla-Jarve|EE|5940|2728
Douglas|IM|5415|-448
Maroantsetra|MG|-1543|4973
Watertown|US|4398|-7591
Jeremie|HT|1863|-7412
Arendal|NO|5846|877
Esik|KZ|4337|7744
Osorio|BR|-2988|-5027
Gisborne|NZ|-3864|17802
Sassandra|CI|495|-608
Yendi|GH|943|-2
Orangeville|CA|4392|-8008
Pallisa|UG|114|3371
Quixada|BR|-497|-3902
Koneurgench|TM|4232|5917
Nacogdoches|US|3160|-9466
Alta Gracia|AR|-3166|-6443
Sasovo|RU|5435|4191
Huaura|PE|-1106|-7760
Jaguaquara|BR|-1353|-3997
Bougouni|ML|1142|-749
Saint George's|GD|1205|-6174
Mirnyy|RU|6254|11396
Oak Ridge|US|3601|-8427
Dubbo|AU|-3226|14860
Nacaome|HN|1353|-8749
Karpinsk|RU|5976|6001
Aqsay|KZ|5117|5303
Ticul|MX|2040|-8953
Nebbi|UG|248|3110
Presidente Dutra|BR|-525|-4452
Telimele|GN|1091|-1304
Krong Koh Kong|KH|1162|10298
Villa Constitucion|AR|-3323|-6035
Serdobsk|RU|5246|4422
Nova Vicosa|BR|-1788|-3937
Gyzlarbat|TM|3898|5628
Grajau|BR|-581|-4615
Aral|KZ|4680|6167
Inongo|CD|-194|1828
Kearney|US|4070|-9908
Kombissiri|BF|1206|-133
Taree|AU|-3190|15246
Rovaniemi|FI|6650|2572
Kapiri Mposhi|ZM|-1397|2866
Wuyuan|CN|4109|10827
Villa Angela|AR|-2758|-6072
Mavinga|AO|-1579|2036
Campbell River|CA|5002|-12525
Loei|TH|1749|10173
Barabinsk|RU|5536|7835
Warrnambool|AU|-3838|14247
Saint John's|AG|1712|-6185
Chapadinha|BR|-374|-4336
Palmas|BR|-2648|-5200|Paraná
Ita|PY|-2551|-5736
Winona|US|4405|-9164
Melton|AU|-3769|14457
Stoeng Treng|KH|1352|10597
Am Timan|TD|1103|2028
Borzya|RU|5039|11652
Prince Albert|CA|5320|-10575
Sumbe|AO|-1121|1385
Bell Ville|AR|-3260|-6268
Novo Horizonte|BR|-2146|-4922
Buurhakaba|SO|278|4408
Jinotepe|NI|1185|-8619
Hamar|NO|6082|1107
Diffa|NE|1332|1261
Gaya|NE|1189|345
Santarem|PT|3923|-868
Brumado|BR|-1421|-4167
San Marino|SM|4392|1247
Chalatenango|SV|1407|-8909
Flores|GT|1693|-8988
Bac Kan|VN|2213|10583
Quesada|CR|1033|-8444
Taua|BR|-600|-4031
Shawnee|US|3534|-9693
Goroka|PG|-608|14539
Omutninsk|RU|5866|5216
Tunceli|TR|3912|3953
Gladstone|AU|-2385|15125
Nouna|BF|1273|-386
Owando|CG|-48|1592
Segezha|RU|6375|3432
Courtenay|CA|4968|-12500
Guaira|BR|-2409|-5427
La Grange|US|3304|-8503
Nabire|ID|-335|13551
Mitilini|GR|3911|2655
Traverse City|US|4477|-8562
Beja|PT|3801|-786
Bourem|ML|1690|-35
Jipijapa|EC|-135|-8058
Tak|TH|1688|9913
Talas|KG|4252|7224
Moanda|GA|-157|1320
I-n-Salah|DZ|2722|247
Cananea|MX|3099|-11030
Bangassou|CF|473|2282
Rosario do Sul|BR|-3025|-5492
Kisii|KE|-67|3476
Carbondale|US|3773|-8922
Kaka|TM|3735|5960
Pilar|PY|-2687|-5830
Imbituba|BR|-2823|-4866
Hobbs|US|3271|-10314
Svendborg|DK|5507|1062
Hillerod|DK|5593|1232
Guasdualito|VE|724|-7074
Algha|KZ|4990|5733
Phrae|TH|1815|10016
Escuinapa|MX|2285|-10580
Mineiros|BR|-1757|-5256
Victoria|SC|-462|5545
Aracati|BR|-456|-3777
Beaufort West|ZA|-3235|2257
Blagodarnyy|RU|4510|4343
Llallagua|BO|-1842|-6664
Lismore|AU|-2882|15329
Voi|KE|-337|3857
Arvayheer|MN|4625|10277
Sion|CH|4624|735
Linden|GY|599|-5827
Gaoua|BF|1032|-317
Kotelnich|RU|5830|4831
Lindi|TZ|-1000|3970
Ifakara|TZ|-813|3668
Mocimboa|MZ|-1132|4035
Artvin|TR|4118|4182
Savetskaya Gavan|RU|4897|14027
Kolpashevo|RU|5830|8300
Morrinhos|BR|-1773|-4911
Sao Luiz Gonzaga|BR|-2841|-5496
Emporia|US|3840|-9618
Camocim|BR|-290|-4085
Tripoli|GR|3751|2238
Mongo|TD|1218|1870
Huatabampo|MX|2683|-10963
Burlington|US|4081|-9111|Iowa
Djenne|ML|1390|-455
Slavgorod|RU|5300|7867
Mount Isa|AU|-2072|13949
Nykoping|SE|5876|1702
Tunduma|TZ|-928|3277
Maues|BR|-339|-5772
Touba|CI|828|-768
Garden City|US|3798|-10086
Slantsy|RU|5911|2807
Bayan Obo|CN|4177|10997
Superior|US|4672|-9210
Casma|PE|-944|-7821
Ubaitaba|BR|-1430|-3933
Silvassa|IN|2027|7302
Beckley|US|3778|-8118
Juanjui|PE|-717|-7674
Nandi|FJ|-1780|17742
Mason City|US|4315|-9320
Brandon|CA|4983|-9995
Zheleznogorsk Ilimskiy|RU|5658|10412
Oktyabrsk|KZ|4947|5744
Mednogorsk|RU|5142|5758
Swakopmund|NA|-2267|1454
Dembi Dolo|ET|853|3480
Shalqar|KZ|4784|5961
Cayambe|EC|5|-7816
Tonghua|CN|4168|12575
Nanuque|BR|-1784|-4035
Palapye|BW|-2256|2713
Colider|BR|-1082|-5545
Conceicao do Araguaia|BR|-825|-4929
Nikolayevsk na Amure|RU|5315|14073
Kartaly|RU|5305|6068
Tuquerres|CO|109|-7762
Geraldton|AU|-2877|11460
Lumberton|US|3463|-7901
Nevyansk|RU|5749|6021
Sumter|US|3392|-8034
Key West|US|2456|-8178
Zeya|RU|5375|12727
Aripuana|BR|-917|-6064
Doba|TD|865|1685
Siliana|TN|3608|938
Alice Springs|AU|-2370|13388
Bregenz|AT|4752|977
Constitucion|CL|-3533|-7242
Leo|BF|1109|-210
Bafoulabe|ML|1380|-1082
La Union|SV|1333|-8784
Lusambo|CD|-497|2343
Frutal|BR|-2003|-4894
Bor|SS|621|3156
Kristianstad|SE|5603|1413
Karasuk|RU|5373|7802
Tskhinvali|GE|4223|4398
Nadym|RU|6553|7251
Nueve de Julio|AR|-3545|-6089
Kyrenia|CY|3533|3333
Pugachev|RU|5201|4879
Bunbury|AU|-3334|11565
Treinta y Tres|UY|-3323|-5438
Chacabuco|AR|-3465|-6049
Dund-Us|MN|4802|9163
Voinjama|LR|842|-975
Timimoun|DZ|2924|27
Caboolture|AU|-2708|15295
Petatlan|MX|1752|-10127
Wete|TZ|-506|3973
Aliwal North|ZA|-3069|2671
Örnsköldsvik|SE|6332|1872
Dongola|SD|1917|3048
Canavieiras|BR|-1564|-3896
Viseu|PT|4066|-791
Sibut|CF|573|1908
Huamachuco|PE|-781|-7805
Alenquer|BR|-194|-5479
Ft. Dodge|US|4251|-9418
Obidos|BR|-191|-5552
Bayankhongor|MN|4630|10098
Ambanja|MG|-1368|4845
Paso Robles|US|3563|-12069
Rocha|UY|-3448|-5433
Arlon|BE|4968|582
Amahai|ID|-333|12894
Juneau|US|5831|-13442
Saint-Georges|CA|4612|-7067
Lubao|CD|-539|2575
Sabinas Hidalgo|MX|2651|-10018
Ouesso|CG|161|1605
Tuxpan|MX|2193|-10527
Bafata|GW|1217|-1467
Gillette|US|4428|-10551
Kita|ML|1305|-948
Thung Song|TH|815|9973
Timika|ID|-455|13689
Jaguarao|BR|-3256|-5337
Diapaga|BF|1208|180
Dalnerechensk|RU|4593|13372
Gualeguay|AR|-3315|-5934
Tarma|PE|-1141|-7573
Shieli|KZ|4417|6675
San Lorenzo|AR|-2812|-5877
Severobaykalsk|RU|5563|10931
Koko|NG|1142|452
Buy|RU|5848|4152
Pimenta Bueno|BR|-1164|-6121
La Ligua|CL|-3246|-7124
Januaria|BR|-1548|-4437
Velsk|RU|6107|4210
Kafue|ZM|-1578|2818
Champoton|MX|1935|-9072
Sept-Îles|CA|5032|-6636
Tarawa|KI|134|17302
Cristalina|BR|-1677|-4761
San Fernando|MX|2485|-9816
Laramie|US|4131|-10559
Lucapa|AO|-842|2074
Qacha's Nek|ZA|-3012|2870
Tongue|GN|1144|-1167
Tupiza|BO|-2144|-6572
Okha|RU|5357|14295
Roseburg|US|4322|-12336
Balyqshy|KZ|4707|5187
Bozoum|CF|632|1638
Caibarien|CU|2252|-7947
At Tafilah|JO|3083|3560
Hios|GR|3837|2614
Volksrust|ZA|-2736|2989
Ust Kut|RU|5676|10576
Freeport|BS|2653|-7870
Cedar City|US|3768|-11306
Nola|CF|353|1607
Ottumwa|US|4101|-9241
Paranaiba|BR|-1968|-5120
Savanna-la-Mar|JM|1816|-7795
Harper|LR|438|-772
Carlsbad|US|3242|-10423
Dodge City|US|3776|-10002
Chiromo|MW|-1655|3513
Mouila|GA|-187|1102
Popondetta|PG|-877|14825
Castro|CL|-4248|-7376
Diamantina|BR|-1824|-4361
Albany|AU|-3502|11789
Brockville|CA|4459|-7570
Sol-lletsk|RU|5116|5500
Hervey Bay|AU|-2529|15284
San Marcos|GT|1497|-9180
Rawson|AR|-4330|-6510
Kalispell|US|4820|-11432
Tame|CO|646|-7174
Oxford|US|3437|-8952
Starkville|US|3345|-8882
Mohales Hoek|LS|-3016|2748
Bria|CF|653|2198
Nelidovo|RU|5622|3277
Tenosique|MX|1748|-9143
Bartlesville|US|3675|-9598
Pinheiro|BR|-252|-4509
Puyo|EC|-148|-7799
Aberdeen|US|4547|-9849|South Dakota
Ponca City|US|3671|-9709
Ebebiyin|GA|215|1133
Asino|RU|5699|8616
Ati|TD|1322|1833
North Platte|US|4114|-10077
Boende|CD|-22|2086
Topki|RU|5528|8561
Vicksburg|US|3235|-9088
Tralee|IE|5227|-972
Lensk|RU|6073|11495
Salinas|EC|-220|-8098
Moron|MN|4965|10015
Cottica|SR|385|-5423
Ramallah|PS|3190|3521
Mossendjo|CG|-294|1272
Illapel|CL|-3163|-7117
Norfolk|US|4203|-9743|Nebraska
Ranong|TH|996|9864
Kingsville|US|2752|-9786
Ciudad Altamirano|MX|1832|-10065
Rolim de Moura|BR|-1173|-6178
Mtsensk|RU|5326|3655
San Ignacio|BO|-1637|-6096
Ardmore|US|3418|-9713
Yambio|SS|457|2842
Baubau|ID|-547|12262
Aberdeen|US|4697|-12381|Washington
Phnum Tbeng Meanchey|KH|1382|10497
Sao Francisco do Sul|BR|-2624|-4860
Angangxi|CN|4716|12380
Rouyn-Noranda|CA|4825|-7903
Castries|LC|1400|-6100
Sosnogorsk|RU|6359|5389
Fatick|SN|1434|-1642
Ancud|CL|-4187|-7383
Suchboatar|MN|5025|10620
Plattsburg|US|4469|-7346
Orangeburg|US|3350|-8086
Asosa|ET|1007|3453
Labasa|FJ|-1642|17938
Tatarsk|RU|5522|7597
Bakal|RU|5495|5880
Cauquenes|CL|-3596|-7232
Tena|EC|-98|-7781
Al Jawf|LY|2420|2329
Tara|RU|5690|7438
Moyeni|LS|-3041|2772
Campo Maior|BR|-482|-4218
Ometepec|MX|1668|-9842
Mushie|CD|-302|1692
Faribault|US|4429|-9327
Aybak|AF|3626|6804
Big Spring|US|3224|-10148
St.-Benoit|RE|-2103|5571
Victoria Falls|ZW|-1793|2584
Felipe Carrillo Puerto|MX|1958|-8805
Svay Rieng|KH|1108|10580
Guaranda|EC|-161|-7901
Zorgo|BF|1224|-61
Ypacarai|PY|-2541|-5728
Diu|IN|2072|7099
Wuchuan|CN|4110|11144
Fria|GN|1038|-1355
Parras|MX|2542|-10218
Marquette|US|4655|-8741
Al Ghaydah|YE|1624|5216
Sensuntepeque|SV|1388|-8863
Coos Bay|US|4337|-12422
Kibaha|TZ|-677|3892
Shemonaikha|KZ|5063|8190
Santa Cruz Del Quiche|GT|1503|-9113
Iguape|BR|-2472|-4757
El Seibo|DO|1876|-6904
Douglas|US|3136|-10955|Arizona
Gjirokaster|AL|4008|2015
Zug|CH|4718|849
Enterprise|US|3133|-8584
Nasca|PE|-1483|-7494
Laurel|US|3170|-8914
Ipora|BR|-1645|-5113
Sena Madureira|BR|-907|-6867
Atkarsk|RU|5188|4500
Timaru|NZ|-4438|17122
Rehoboth|NA|-2332|1708
Baglung|NP|2827|8358
Fray Bentos|UY|-3314|-5830
Whitehorse|CA|6072|-13505
Dubasari|MD|4726|2916
Gitega|BI|-343|2984
Kariba|ZW|-1653|2880
Chachapoyas|PE|-623|-7787
Ayapel|CO|833|-7515
Dzaoudzi|YT|-1279|4528
Siwa|EG|2920|2552
Blenheim|NZ|-4152|17396
Otjiwarongo|NA|-2046|1664
Lambarene|GA|-70|1022
Puerto Armuelles|PA|828|-8287
Basoko|CD|124|2359
Majuro|MH|710|17138
Kirovsk|RU|6761|3367
Svetogorsk|RU|6110|2892
Nueva Gerona|CU|2188|-8280
Dudinka|RU|6942|8623
Yako|BF|1295|-226
Paragould|US|3606|-9050
Kuta|ID|-872|11518
Mercedes|AR|-2918|-5808|Corrientes
La Union|CL|-4029|-7309
Tunuyan|AR|-3357|-6902
Madingou|CG|-416|1355
Pativilca|PE|-1070|-7780
Toktogul|KG|4188|7294
Cameta|BR|-224|-4951
Pontes e Lacerda|BR|-1522|-5935
Kasangulu|CD|-458|1518
Owen Sound|CA|4457|-8085
Bolobo|CD|-216|1624
Dawmat al Jandal|SA|2982|3987
Miracema|BR|-2141|-4220
Nova Cruz|BR|-647|-3544
Bogotol|RU|5622|8952
Bocaiuva|BR|-1711|-4381
Clarksburg|US|3928|-8034
Aleysk|RU|5249|8278
Moyo|UG|365|3172
Kourou|GF|516|-5265
Gimbi|ET|917|3583
Barra do Bugres|BR|-1507|-5719
Frederikshavn|DK|5743|1053
Tocopilla|CL|-2209|-7019
Curanilahue|CL|-3748|-7334
Reggane|DZ|2670|17
Itapecuru Mirim|BR|-340|-4436
Pirgos|GR|3768|2145
Baraki Barak|AF|3397|6897
Visby|SE|5763|1830
Djibo|BF|1410|-163
Neiba|DO|1847|-7142
Tadjoura|DJ|1178|4290
Almenara|BR|-1617|-4070
Lenger|KZ|4219|6988
Tibati|CM|647|1263
Mocoa|CO|115|-7663
Ghat|LY|2496|1017
Santa Cruz|BR|-622|-3603
Frauenfeld|CH|4757|911
Kizel|RU|5906|5763
Heredia|CR|999|-8412
Beaufort|US|3243|-8069
Tashtagol|RU|5279|8787
Fort McMurray|CA|5673|-11138
Kabalo|CD|-605|2691
Vannersborg|SE|5836|1233
Ukiah|US|3915|-12321
Santa Vitoria do Palmar|BR|-3352|-5337
Mount Gambier|AU|-3783|14077
Biharamulo|TZ|-263|3131
Armidale|AU|-3051|15167
Bologoye|RU|5787|3405
Nsanje|MW|-1692|3527
Katima Mulilo|NA|-1750|2426
Colonia del Sacramento|UY|-3448|-5784
Kayunga|UG|70|3289
Caacupe|PY|-2539|-5714
Pires do Rio|BR|-1730|-4828
Wewak|PG|-355|14364
Mendi|PG|-614|14365
Gavarr|AM|4036|4513
San Jose del Guaviare|CO|257|-7264
Sao Lourenco do Sul|BR|-3137|-5198
Kaedi|SN|1615|-1350
Yasothon|TH|1579|10415
Gallup|US|3552|-10873
Khromtau|KZ|5027|5845
Trat|TH|1224|10251
Dolores|AR|-3633|-5769
Boaco|NI|1247|-8566
Ngozi|BI|-291|2983
Kilkenny|IE|5265|-725
El Dorado|US|3321|-9266
Aranyaprathet|TH|1368|10250
Socorro|CO|646|-7327
Nakhon Nayok|TH|1420|10122
Augusta|US|4431|-6978|Maine
Itupiranga|BR|-512|-4930
El Tur|EG|2824|3361
Kruje|AL|4152|1980
Jardim|BR|-2148|-5615
Covilha|PT|4028|-750
Brainerd|US|4636|-9420
Motul|MX|2110|-8928
Isikul|RU|5493|7127
Alice|US|2775|-9807
Barstow|US|3490|-11702
Whyalla|AU|-3303|13756
Santa Rita|VE|1053|-7150
Trinidad|UY|-3354|-5690
Jauja|PE|-1180|-7550
Chascomus|AR|-3557|-5802
Sotouboua|TG|856|98
Iturama|BR|-1973|-5020
Bur Safaga|EG|2673|3393
Acarau|BR|-289|-4012
Khorugh|TJ|3749|7155
Boralday|KZ|4333|7683
Sibiti|CG|-369|1335
Sicuani|PE|-1429|-7123
Bukama|CD|-921|2584
Rutana|BI|-393|2999
Gamboma|CG|-188|1585
Impfondo|CG|164|1804
As Sulayyil|SA|2046|4557
Madisonville|US|3733|-8750
Saint-Laurent-du-Maroni|GF|550|-5403
Maralal|KE|111|3668
Nogales|US|3134|-11093
Cumberland|US|3965|-7876
Vaduz|LI|4713|952
Punata|BO|-1755|-6584
Coronel Suarez|AR|-3747|-6192
Bondo|CD|381|2367
Whakatane|NZ|-3798|17700
Macas|EC|-231|-7812
Hays|US|3888|-9932
Krasnoarmeysk|RU|5102|4570
Val d'Or|CA|4812|-7777
Penonome|PA|851|-8036
Tekax|MX|2020|-8928
Krasnouralsk|RU|5835|6005
Artashat|AM|3995|4455
Moyale|KE|352|3905
Andoany|MG|-1340|4827
Waterville|US|4455|-6965
Kalachinsk|RU|5505|7457
Gusinoozyorsk|RU|5128|10650
Natchez|US|3155|-9139
Onega|RU|6393|3808
Makinsk|KZ|5264|7041
Uray|RU|6014|6475
Kawambwa|ZM|-978|2908
Chilecito|AR|-2917|-6750
Katoomba|AU|-3371|15032
Somoto|NI|1348|-8658
Brookings|US|4431|-9679
Viljandi|EE|5836|2559
Petrovsk Zabaykalskiy|RU|5128|10883
Brownwood|US|3171|-9898
Savonlinna|FI|6187|2888
San Lorenzo|EC|127|-7886
Scottsbluff|US|4187|-10366
Lake City|US|3019|-8264
Gjøvik|NO|6080|1070
Phayao|TH|1917|9991
Toguchin|RU|5524|8438
Bururi|BI|-395|2962
Pita|GN|1108|-1240
Esquel|AR|-4290|-7132
Sing Buri|TH|1489|10040
Victoria|AR|-3261|-6018
Morondava|MG|-2028|4428
Hakha|MM|2265|9362
Tidjikdja|MR|1855|-1142
Kracheh|KH|1247|10602
Tash Komur|KG|4134|7223
Madaoua|NE|1408|596
Roseau|DM|1530|-6139
Kampong Thum|KH|1271|10489
Mangai|CD|-404|1953
Lapa|BR|-2576|-4973
Lincoln|AR|-3488|-6154
Cyangugu|RW|-248|2890
Tshela|CD|-497|1293
McAlester|US|3493|-9577
New Glasgow|CA|4558|-6263
Kebili|TN|3369|897
Paracuru|BR|-340|-3904
Naryan Mar|RU|6765|5306
Mananjary|MG|-2122|4833
General Guemes|AR|-2467|-6505
Ojinaga|MX|2954|-10441
Atoyac|MX|1720|-10043
Niquelandia|BR|-1447|-4847
Corner Brook|CA|4895|-5793
Kampene|CD|-360|2667
Tolu|CO|954|-7557
Nzeto|AO|-723|1286
Babanusa|SD|1133|2780
Canelones|UY|-3454|-5628
Okahandja|NA|-2198|1691
Erymentau|KZ|5163|7310
Yitulihe|CN|5065|12152
Makamba|BI|-413|2980
San Borja|BO|-1482|-6685
Puerto Varas|CL|-4133|-7299
Selma|US|3241|-8702
Crestview|US|3075|-8657
Camacupa|AO|-1202|1747
Sin-Ni|KP|3949|12546
Eirunepe|BR|-666|-6987
Zwedru|LR|607|-813
Kayanza|BI|-290|2957
Mobaye|CF|432|2118
Pijijiapan|MX|1569|-9322
Lai|TD|940|1631
Tchibanga|GA|-286|1103
Erenhot|CN|4366|11197
Lillehammer|NO|6113|1050
Mzimba|MW|-1190|3360
Bikin|RU|4682|13426
Dublin|US|3254|-8292
Kumo|NG|1005|1121
Zemio|CF|503|2513
Narvik|NO|6838|1729
Uthai Thani|TH|1538|10003
Camiri|BO|-2005|-6352
Lumphat|KH|1351|10698
Harstad|NO|6879|1652
Marinette|US|4510|-8763
Zapala|AR|-3890|-7007
Grootfontein|NA|-1957|1812
Mo i Rana|NO|6632|1417
Durango|US|3728|-10788
Babati|TZ|-422|3575
Ushtobe|KZ|4527|7797
Albert Lea|US|4365|-9337
Son La|VN|2133|10391
Arcata|US|4089|-12409
Zhosaly|KZ|4549|6408
Dandeldhura|NP|2930|8060
Kos|GR|3689|2729
Balcarce|AR|-3783|-5825
Kambove|CD|-1087|2660
Maryborough|AU|-2555|15272|Queensland
Kimbe|PG|-555|15014
Shangdu|CN|4155|11353
Kwinana|AU|-3224|11577
Pochutla|MX|1573|-9647
Ashtarak|AM|4030|4436
Levin|NZ|-4061|17528
Villamontes|BO|-2125|-6350
Veinticinco de Mayo|AR|-3543|-6018
Kasongo-Lunda|CD|-648|1683
Agordat|ER|1555|3789
Gubakha|RU|5887|5759
Itaberai|BR|-1602|-4981
Camana|PE|-1662|-7272
Lezhe|AL|4179|1965
Basseterre|KN|1730|-6272
Omagh|GB|5460|-730
Sunbury|AU|-3757|14471
Mansa Konko|GM|1338|-1568
De Aar|ZA|-3065|2400
Ceres|BR|-1530|-4961
Yellowknife|CA|6244|-11440
Xique-Xique|BR|-1082|-4273
Orodara|BF|1097|-491
Chancay|PE|-1156|-7727
Hinche|HT|1914|-7200
Poplar Bluff|US|3676|-9040
Aldan|RU|5860|12539
Kualakapuas|ID|-310|11435
Burnie|AU|-4107|14592
Montrose|US|3848|-10787
Quarai|BR|-3038|-5646
Nara|ML|1518|-728
Lijiang|CN|2680|10027
Willmar|US|4512|-9504
Mbala|ZM|-884|3137
Nzega|TZ|-421|3318
Banamba|ML|1355|-745
Mchinji|MW|-1380|3290
Charata|AR|-2722|-6120
Lobos|AR|-3518|-5909
Tindouf|DZ|2767|-815
Allende|MX|2833|-10085
Polyarnyy|RU|6921|3345
Maracaju|BR|-2161|-5518
Penzance|GB|5013|-555
Diego de Almagro|CL|-2637|-7005
Hassi Messaoud|DZ|3170|605
Fort St. John|CA|5625|-12083
Kirksville|US|4019|-9258
Kedougou|SN|1256|-1218
San Felipe|MX|3102|-11485
Orange Walk|BZ|1809|-8856
Tsetserleg|MN|4748|10145
Muramvya|BI|-326|2961
Yangambi|CD|77|2443
Sonson|CO|572|-7532
Tlaxiaco|MX|1727|-9768
Cranbrook|CA|4952|-11577
Victoria|CL|-3824|-7234
Qarazhal|KZ|4803|7080
Bella Union|UY|-3026|-5760
Devonport|AU|-4119|14633
Po|BF|1117|-113
Edmundston|CA|4738|-6833
Anxi|CN|4050|9580
Pala|TD|935|1497
Kukes|AL|4208|2043
Chiredzi|ZW|-2105|3166
Manicore|BR|-581|-6130
Kavalerovo|RU|4427|13505
Baturite|BR|-433|-3888
Rumbek|SS|680|2968
Dzuunmod|MN|4771|10695
Watsa|CD|304|2953
Sale|AU|-3811|14706
Luebo|CD|-535|2141
Zongo|CD|433|1862
Dong Ha|VN|1685|10713
Abaza|RU|5267|9010
Tougan|BF|1307|-307
Acatlan|MX|1820|-9805
La Paz|HN|1432|-8768
Bua Yai|TH|1558|10242
Pakwach|UG|247|3148
Elko|US|4083|-11576
Ilam|NP|2691|8793
Boulsa|BF|1266|-57
Bay City|US|2898|-9596|Texas
Taupo|NZ|-3869|17608
Bugt|CN|4878|12193
Waycross|US|3121|-8235
Lamu|KE|-226|4092
25 de Mayo|AR|-3780|-6768
Uzhur|RU|5533|8982
Haiya|SD|1834|3638
Libenge|CD|366|1862
Eldorado|AR|-2620|-5460
Hun|LY|2912|1593
Bulgan|MN|4881|10353
Mehtar Lam|AF|3465|7017
Muglad|SD|1103|2773
Ongwediva|NA|-1778|1577
Loikaw|MM|1967|9721
Luena|AO|-1179|1990
Puerto Suarez|BO|-1895|-5785
Mpika|ZM|-1183|3146
Granja|BR|-312|-4084
Broken Hill|AU|-3195|14143
Kangaba|ML|1194|-844
Sligo|IE|5427|-848
Ar Rutbah|IQ|3304|4028
Dutse|NG|1180|935
Wadi Halfa|SD|2180|3135
Kavieng|PG|-258|15081
Requena|PE|-507|-7391
Lodwar|KE|313|3557
Santiago Ixcuintla|MX|2182|-10522
Kemi|FI|6573|2458
Campoalegre|CO|269|-7533
Harnosand|SE|6263|1793
Demba|CD|-551|2226
Kirsanov|RU|5266|4272
Vila Real|PT|4129|-774
Ambriz|AO|-785|1313
Centralia|US|4672|-12295
Traralgon|AU|-3820|14653
Pinas|EC|-367|-7965
Nkhata Bay|MW|-1160|3430
Zaghouan|TN|3640|1015
Lebowakgomo|ZA|-2420|2950
Monte Cristi|DO|1987|-7165
Keetmanshoop|NA|-2657|1813
Tolanaro|MG|-2503|4699
Villarica|CL|-3928|-7223
Marib|YE|1542|4533
Guanhaes|BR|-1878|-4295
Nevelsk|RU|4668|14187
Mossel Bay|ZA|-3417|2213
Salamanca|CL|-3178|-7098
Morombe|MG|-2174|4337
Masterton|NZ|-4094|17565
Pendleton|US|4567|-11879
Miahuatlan|MX|1633|-9660
Karratha|AU|-2073|11687
Lebu|CL|-3761|-7365
Ben Gardane|TN|3314|1122
Shimanovsk|RU|5200|12770
Bellinzona|CH|4620|902
Kamenka|RU|5319|4404
Marovoay|MG|-1610|4663
Jyekundo|CN|3302|9673
Cuilapa|GT|1428|-9030
Mulanje|MW|-1603|3550
Goulburn|AU|-3475|14971
Mandali|IQ|3374|4555
Contamana|PE|-734|-7502
Riviere-du-Loup|CA|4783|-6953
Atasu|KZ|4869|7165
Ntungamo|UG|-88|3026
Dajabon|DO|1955|-7170
Sabaneta|DO|1950|-7134
Mizdah|LY|3143|1298
Butha-Buthe|LS|-2875|2825
Gobabis|NA|-2246|1896
Kakonko|TZ|-328|3096
Hermanus|ZA|-3441|1923
Oytal|KZ|4292|7325
Xaignabouri|LA|1925|10175
Tucano|BR|-1097|-3879
Molde|NO|6275|718
San Francisco Gotera|SV|1370|-8810
Dispur|IN|2614|9177
Palatka|US|2965|-8165
Lgov|RU|5169|3527
Nyahanga|TZ|-238|3355
Dzuunharaa|MN|4887|10647
Ilave|PE|-1608|-6967
Dickinson|US|4688|-10279
Vanino|RU|4909|14024
Bodaybo|RU|5796|11433
Marsabit|KE|233|3798
Nchelenge|ZM|-935|2873
Sparti|GR|3707|2243
Tocache|PE|-818|-7652
Ico|BR|-640|-3885
Sechura|PE|-556|-8082|Piura
Viana|BR|-321|-4500
Baruun Urt|MN|4670|11328
Yoro|HN|1506|-8729
Eldorado|MX|2433|-10737
Camrose|CA|5302|-11282
Nikel|RU|6941|3022
North Battleford|CA|5277|-10828
Kodinskiy|RU|5870|9918
Caxito|AO|-858|1366
Villa Hayes|PY|-2509|-5753
Dedza|MW|-1437|3433
San Gabriel|EC|61|-7784
Portalegre|PT|3929|-742
Poronaysk|RU|4924|14309
Viana Do Castelo|PT|4170|-884
Kibiti|TZ|-773|3895
Pembroke|CA|4585|-7712
Gawler|AU|-3461|13873
Huanta|PE|-1295|-7425
Monte Plata|DO|1881|-6978
Satipo|PE|-1126|-7469
Deming|US|3226|-10776
Las Vegas|US|3560|-10522|New Mexico
Aarau|CH|4739|803
Plast|RU|5437|6081
Chainat|TH|1518|10013
Itambe|BR|-1524|-4063
Kuala Lipis|MY|418|10204
Herisau|CH|4738|928
At Bashy|KG|4117|7580
Yeniseysk|RU|5845|9216
Burrel|AL|4163|2002
Puerto Escondido|MX|1586|-9707
Scottsdale|US|3369|-11187
Nyunzu|CD|-595|2802
Canas|CR|1043|-8510
Cardenas|MX|2200|-9967
Makokou|GA|57|1287
Nguigmi|NE|1425|1311
Aracuai|BR|-1686|-4207
Udachnyy|RU|6642|11240
Santa Lucia|UY|-3447|-5640
Takeo|KH|1098|10478
Antsohihy|MG|-1487|4798
Sao Cabriel da Cachoeira|BR|-13|-6708
Daru|PG|-911|14323
Compostela|MX|2123|-10490
Manga|BF|1166|-106
Sarande|AL|3988|2000
Santa Barbara|HN|1492|-8824
Carmelo|UY|-3399|-5830
Cherepanovo|RU|5423|8337
Boulder City|US|3598|-11483
Eldama Ravine|KE|5|3572
Mao|TD|1412|1531
Hereford|US|3482|-10240
Frontera|MX|1858|-9265
Bhimphedi|NP|2755|8513
Chaghcharan|AF|3452|6525
Gikongoro|RW|-248|2957
Paro|BT|2738|8952
Ramechhap|NP|2733|8609
Salyan|NP|2835|8218
Farafangana|MG|-2282|4783
Mitchell|US|4371|-9803
Escanaba|US|4575|-8706
Jamestown|US|4691|-9870|North Dakota
Slyudyanka|RU|5165|10370
Mariestad|SE|5871|1383
Solothurn|CH|4721|754
Derzhavinsk|KZ|5110|6631
Peshkopi|AL|4168|2043
Swift Current|CA|5028|-10777
Nuuk|GL|6420|-5173
Terrace|CA|5450|-12858
Akureyi|IS|6567|-1810
Ijevan|AM|4088|4515
Prince Rupert|CA|5432|-13033
Tecpan|MX|1725|-10068
Izamal|MX|2093|-8902
Nieuw Nickerie|SR|595|-5699
Villa Union|MX|2320|-10623
Sikonge|TZ|-563|3277
Ust' Ordynskiy|RU|5283|10470
Alpena|US|4506|-8343
Kok Yangak|KG|4103|7321
Kiboga|UG|92|3177
Karema|TZ|-682|3043
Yankton|US|4288|-9739
Paraguari|PY|-2562|-5716
Ipu|BR|-432|-4072
Gabu|GW|1228|-1423
Pimentel|PE|-683|-7993
Nioro du Sahel|ML|1523|-959
Faranah|GN|1004|-1075
Mumbwa|ZM|-1498|2707
Port Antonio|JM|1816|-7638
Tórshavn|FO|6203|-682
Karokh|AF|3449|6259
Basse Santa Su|GM|1331|-1422
Yorkton|CA|5122|-10247
Abadla|DZ|3102|-273
Koulamoutou|GA|-113|1248
Belmopan|BZ|1725|-8877
Coronel Bogado|PY|-2717|-5625
Alausi|EC|-219|-7885
San Jose|GT|1394|-9082
Kouroussa|GN|1065|-989
Lüderitz|NA|-2665|1516
El Daba|EG|3103|2843
Zaysan|KZ|4748|8486
Vyazemskiy|RU|4753|13475
Murray Bridge|AU|-3513|13926
Schwyz|CH|4702|865
Paraiso|MX|1840|-9323
Boutilimit|MR|1755|-1470
Anatuya|AR|-2847|-6283
Eseka|CM|365|1077
Sironko|UG|125|3430
Cholpon Ata|KG|4265|7708
Bemidji|US|4747|-9488
Corovode|AL|4052|2023
Lamphun|TH|1850|9907
Ayorou|NE|1473|92
Ballina|AU|-2886|15357
Koundara|GN|1248|-1330
Fonte Boa|BR|-251|-6609
Bitam|GA|208|1148
Ihosy|MG|-2240|4612
Kinkala|CG|-436|1476
Urzhar|KZ|4710|8160
Guapi|CO|256|-7786
Kem|RU|6495|3457
Tillaberi|NE|1421|145
Quesnel|CA|5298|-12248
Beitbridge|ZW|-2221|2999
Bandarbeyla|SO|948|5082
Ang Thong|TH|1458|10045
Zareh Sharan|AF|3285|6842
Pierre|US|4437|-10035
St. Ann's Bay|JM|1843|-7720
La Grande|US|4532|-11809
Pedreiras|BR|-457|-4467
Mar de Ajo|AR|-3672|-5668
Santiago Tuxtla|MX|1847|-9530
Frias|AR|-2865|-6515
Rayevskiy|RU|5407|5493
Tsumeb|NA|-1924|1771
Colinas|BR|-604|-4424
Dumas|US|3586|-10197
Chanaral|CL|-2903|-7143
Vicuna|CL|-3003|-7074
Dalandzadgad|MN|4358|10444
Echuca|AU|-3613|14475
Brooks|CA|5057|-11190
Chota|PE|-655|-7865
El Cayo|BZ|1716|-8906
San Carlos|NI|1120|-8483
Koulikoro|ML|1288|-755
Magdalena|MX|3062|-11105
Faya Largeau|TD|1792|1912
Joaquin V. Gonzalez|AR|-2508|-6418
Horqueta|PY|-2334|-5705
Nueva Imperial|CL|-3874|-7296
Kiruna|SE|6785|2022
Goure|NE|1399|1027
Forster-Tuncurry|AU|-3219|15253
Beyla|GN|869|-866
Karoi|ZW|-1682|2968
Santa Maria da Vitoria|BR|-1339|-4421
Ulundi|ZA|-2833|3141
Eisenstadt|AT|4783|1653
Obock|DJ|1197|4329
Dolbeau|CA|4887|-7223
Juan Aldama|MX|2429|-10339
Lamas|PE|-643|-7652
Thompson|CA|5575|-9787
Macia|MZ|-2502|3309
Rio Bueno|CL|-4034|-7296
Dabola|GN|1075|-1111
Guerrero Negro|MX|2799|-11417
Menongue|AO|-1467|1770
Kumi|UG|146|3394
Muynoq|UZ|4377|5902
Champasak|LA|1488|10587
Palatka|RU|6010|15090
Peto|MX|2013|-8892
Kisoro|UG|-135|2970
Lisburn|GB|5452|-667
Obo|CF|540|2650
Liestal|CH|4748|774
Bati|ET|1118|4002
Los Lagos|CL|-3985|-7283
Bollnäs|SE|6135|1637
Williston|US|4816|-10363
Kamuli|UG|95|3312
Tecuala|MX|2240|-10546
Diebougou|BF|1095|-325
Camabatela|AO|-819|1537
Bubanza|BI|-308|2937
Ziniare|BF|1258|-129
Librazhd|AL|4120|2037
Mariental|NA|-2462|1796
Sunchales|AR|-3093|-6157
Garbahaarey|SO|333|4223
Kingston|AU|-4299|14731
Tovuz|AZ|4099|4563
Ayaviri|PE|-1488|-7060
Chaguaramas|VE|922|-6375
Isla Mujeres|MX|2121|-8671
Mikumi|TZ|-740|3698
Port Lincoln|AU|-3473|13587
Ondorhaan|MN|4732|11065
Port Pirie|AU|-3319|13799
Inta|RU|6604|6017
Uyar|RU|5581|9432
Kyakhta|RU|5035|10645
Williams Lake|CA|5212|-12215
Forecariah|GN|943|-1310
Woodward|US|3643|-9940
San Martin|CO|369|-7369
Livingston|GT|1583|-8876
Ermoupoli|GR|3745|2493
Moloundou|CG|203|1522
Porvoo|FI|6040|2567
Cliza|BO|-1759|-6593
Qalat|AF|3211|6689
Cadillac|US|4425|-8541
Maqat|KZ|4765|5333
Belomorsk|RU|6453|3477
Puerto Lopez|CO|409|-7296
Douglas|US|3151|-8285|Georgia
Uglegorsk|RU|4908|14203
Ascension|BO|-1570|-6308
Alta|NO|6997|2324
Dikhil|DJ|1110|4237
Pago Pago|AS|-1428|-17071
Cajabamba|PE|-762|-7804
Iron Mountain|US|4582|-8806
Los Alamos|US|3589|-10630
Horsham|AU|-3671|14219
Dundo|AO|-738|2083
Nerchinsk|RU|5201|11655
Kasaji|CD|-1037|2345
Tepelene|AL|4028|2003
Barras|BR|-425|-4230
Chuquicamata|CL|-2232|-6893
Miandrivazo|MG|-1952|4547
Broome|AU|-1796|12223
Nacozari Viejo|MX|3042|-10965
Qabala|AZ|4098|4785
Musina|ZA|-2234|3003
Malargue|AR|-3547|-6958
Dolo Bay|ET|418|4208
Haapsalu|EE|5894|2354
Dolinsk|RU|4735|14280
Corriverton|GY|590|-5717
Nagele|ET|532|3958
Rurrenabaque|BO|-1446|-6756
Beeville|US|2841|-9775
Macara|EC|-438|-7995
Griffith|AU|-3429|14604
Burley|US|4254|-11379
Mont-Laurier|CA|4655|-7550
Papasquiaro|MX|2483|-10534
Alotau|PG|-1030|15046
Uyuni|BO|-2046|-6683
Pichilemu|CL|-3438|-7200
Oum Hadjer|TD|1330|1968
Zamora|EC|-407|-7897
Ontario|US|4403|-11696
Vernon|US|3415|-9929
Wetaskiwin|CA|5297|-11338
Severnyy|RU|6761|6412
Gramsh|AL|4087|2020
Omaruru|NA|-2144|1595
Port Morant|JM|1789|-7633
Itigi|TZ|-570|3448
La Cruz|MX|2392|-10690
Waku Kungo|AO|-1136|1512
Rio Colorado|AR|-3897|-6408
Cerrillos|AR|-2490|-6548
Junin|PE|-1115|-7601
Aginskoye|RU|5110|11452
Leninobod|TJ|3975|6900
Ivdel|RU|6069|6041
Fort-Liberte|HT|1967|-7184
Belabo|CM|493|1330
Paso de los Toros|UY|-3281|-5651
Samana|DO|1921|-6933
Sanniquellie|LR|737|-868
Monte Quemado|AR|-2580|-6287
Mwanza|MW|-1562|3452
Wangaratta|AU|-3636|14630
Humahuaca|AR|-2320|-6535
Caracarai|BR|182|-6113
Aldama|MX|2292|-9807
Belen|AR|-2765|-6703
Bartica|GY|641|-5863
Gympie|AU|-2619|15267
Kerouane|GN|927|-902
Delemont|CH|4737|734
Collipulli|CL|-3796|-7243
Roebourne|AU|-2078|11713
Glenwood Springs|US|3955|-10732
Bella Vista|PY|-2213|-5652
Otar|KZ|4353|7521
Vanimo|PG|-269|14130
Qasr-e Shirin|IR|3451|4558
Koror|PW|735|13447
Steinkjer|NO|6402|1150
Port Augusta|AU|-3249|13777
Vernal|US|4046|-10953
Angra do Heroismo|PT|3865|-2722
Chitipa|MW|-972|3327
Santa Rosalia|MX|2732|-11228
Mpigi|UG|22|3231
Tamuin|MX|2198|-9875
Pedernales|DO|1804|-7174
Bowen|AU|-2000|14821
Middelburg|ZA|-3150|2501|Eastern Cape
Coffeyville|US|3704|-9563
Nazyvayevsk|RU|5557|7135
Spencer|US|4315|-9515
Portel|BR|-195|-5082
Kenora|CA|4977|-9447
Guymon|US|3669|-10148
Ngorongoro|TZ|-325|3552
International Falls|US|4860|-9341
Pozo Almonte|CL|-2027|-6980
Tomah|US|4399|-9050
Nelson|CA|4948|-11728
Ascension|MX|3110|-10798
Loreto|MX|2601|-11135
Ngara|TZ|-247|3065
Tierra Amarilla|CL|-2748|-7028
Port Lavaca|US|2862|-9663
Karusi|BI|-310|3016
Lihue|US|2198|-15937
Kavaratti|IN|1056|7264
Permet|AL|4023|2035
Mariehamn|AX|6010|1995
Kempsey|AU|-3109|15282
Dawson Creek|CA|5577|-12023
Bloemhof|ZA|-2765|2559
Mogocha|RU|5373|11977
Luganville|VU|-1551|16718
Juarez|AR|-3767|-5980
San Ramon|PE|-1113|-7534
Songo|AO|-735|1485
Kimpese|CD|-555|1443
Shilka|RU|5187|11603
Cacheu|GW|1227|-1616
Amos|CA|4857|-7812
Zmeinogorsk|RU|5116|8220
Santiago|PE|-1419|-7574
Ntcheu|MW|-1482|3463
Mbulu|TZ|-385|3553
Bogue|MR|1659|-1427
Puerto Natales|CL|-5172|-7251
Puerto Quijarro|BO|-1778|-5777
Solenzo|BF|1218|-408
Kiama|AU|-3471|15084
Greenville|LR|501|-904
Taksimo|RU|5633|11489
Riverton|US|4303|-10840
Lithgow|AU|-3350|15015
Makoua|CG|-1|1564
Komatipoort|ZA|-2541|3194
Anadyr|RU|6474|17747
Bongaree|AU|-2708|15315
Portland|AU|-3834|14159
Hancock|US|4713|-8858
Sukhothai|TH|1701|9975
Havre|US|4855|-10968
Caldera|CL|-2707|-7083
Green River|US|4151|-10946
Qulan|KZ|4292|7270
Sesheke|ZM|-1747|2430
Nogliki|RU|5183|14317
Mpwapwa|TZ|-635|3648
Eumseong|KR|3694|12769
Hinton|CA|5340|-11758
Rreshen|AL|4178|1982
Maitland|AU|-3272|15156
Warwick|AU|-2823|15202
Sovetsk|RU|5758|4896|Kirov
Embi|KZ|4883|5814
Kurtamysh|RU|5491|6443
Moba|CD|-706|2972
Senanga|ZM|-1612|2327
Gyangze|CN|2895|8963
Tarin Kowt|AF|3263|6587
Viseu|BR|-120|-4614
Portachuelo|BO|-1736|-6340
Santa Cruz Cabralia|BR|-1628|-3903
Vera|AR|-2947|-6022
Hadiboh|YE|1265|5402
Barcelos|BR|-97|-6292
Hammerfest|NO|7066|2369
Mazowe|ZW|-1752|3097
Las Tablas|PA|776|-8028
Luau|AO|-1071|2223
Pallasovka|RU|5005|4688
Makale|ID|-310|11985
Robore|BO|-1833|-5976
Winslow|US|3528|-11070
Catio|GW|1122|-1517
Ayutla|MX|1690|-9922
Choele Choel|AR|-3927|-6568
Kailua-Kona|US|1964|-15600
Kupina|RU|5436|7727
Bogande|BF|1297|-14
Palmer|US|6160|-14911
Selkirk|CA|5015|-9688
Dalby|AU|-2719|15127
Nikolayevsk|RU|5002|4543
Astoria|US|4619|-12383
Same|TZ|-407|3772
Safford|US|3283|-10971
Olyokminsk|RU|6050|12039
Richmond|AU|-3360|15074|New South Wales
Innisfail|AU|-1753|14604
Mandritsara|MG|-1583|4882
Obluchye|RU|4900|13108
Coalcoman|MX|1878|-10315
Tshabong|BW|-2601|2240
Phangnga|TH|845|9853
Steinbach|CA|4952|-9668
Fort William|GB|5682|-511
Djambala|CG|-254|1475
Eyl|SO|798|4983
Rhinelander|US|4564|-8941
San Justo|AR|-3078|-6058
Killarney|IE|5205|-952
Busselton|AU|-3366|11535
Gornyak|RU|5099|8149
Mubende|UG|59|3137
Kuruman|ZA|-2745|2342
Mwingi|KE|-93|3807
Igrim|RU|6319|6442
Lundazi|ZM|-1229|3317
Tessenei|ER|1511|3666
Cafayate|AR|-2608|-6597
Presque Isle|US|4679|-6800
Crescent City|US|4176|-12420
Bairnsdale|AU|-3783|14761
Petoskey|US|4537|-8496
Juan Jose Castelli|AR|-2595|-6062
Greymouth|NZ|-4247|17121
Sarnen|CH|4690|824
Kundiawa|PG|-602|14496
Port Alfred|ZA|-3360|2688
Gore|ET|815|3554
Orlu|NG|578|703
Craig|US|4052|-10755
Weyburn|CA|4967|-10385
Alvorada|BR|-1247|-4908
Aleksandrovsk Sakhalinskiy|RU|5090|14216
Filadelfia|PY|-2234|-6003
San José|BO|-1785|-6078
Huarmey|PE|-1007|-7816
Bolama|GW|1158|-1548
Price|US|3960|-11081
Ust Nera|RU|6457|14320
Porto Nacional|BR|-1070|-4842
Menaka|ML|1592|240
Mae Hong Son|TH|1930|9797
Villanueva|MX|2235|-10288
Jumla|NP|2925|8222
Swan Hill|AU|-3534|14354
Novo Airao|BR|-262|-6094
Motupe|PE|-615|-7971
Namsos|NO|6448|1150
Puquio|PE|-1470|-7413
B'abda|LB|3383|3553
Mbamba Bay|TZ|-1128|3477
Port Hedland|AU|-2031|11861
Chamical|AR|-3035|-6632
Cody|US|4452|-10906
Bosobolo|CD|419|1988
Sinop|BR|-1185|-5546
Swellendam|ZA|-3402|2043
Taltal|CL|-2540|-7047
Kuybyshevskiy|TJ|3798|6869
Ashburton|NZ|-4390|17173
Zhangaozen|KZ|4330|5280
Kemijarvi|FI|6667|2742
Labrador City|CA|5294|-6692
Kulunda|RU|5258|7895
Mokhotlong|LS|-2929|2908
Baie-Comeau|CA|4922|-6816
Nueva Ocotepeque|HN|1444|-8918
Buyant-Uhaa|MN|4487|11015
Sitia|GR|3520|2610
Marrupa|MZ|-1320|3750
Otuzco|PE|-790|-7857
Tocantinopolis|BR|-632|-4742
Ondjiva|AO|-1707|1573
Dauphin|CA|5115|-10005
Kapuskasing|CA|4942|-8243
Corozal|BZ|1840|-8839
Al Quwayiyah|SA|2407|4528
Virginia|US|4752|-9254
Golyshmanovo|RU|5638|6837
Trinidad|US|3717|-10451
Altdorf|CH|4688|864
Gadabay|AZ|4057|4582
Luba|GQ|345|855
Loncoche|CL|-3937|-7263
Amherst|CA|4582|-6422
Sechura|PE|-524|-7850|Amazonas
Carahue|CL|-3871|-7317
Apodi|BR|-565|-3780
La Libertad|GT|1678|-9012
Lamar|US|3809|-10262
Challapata|BO|-1890|-6678
Chos Malal|AR|-3738|-7027
Aqsu|KZ|5245|7196
Aguelhok|ML|1945|86
Shamva|ZW|-1732|3157
Wasilla|US|6158|-14944
Lonquimay|CL|-3843|-7123
Dangriga|BZ|1697|-8822
San Antonio Oeste|AR|-4073|-6493
Evinayong|GQ|145|1057
Rawlins|US|4179|-10723
Bredasdorp|ZA|-3453|2003
Achacachi|BO|-1608|-6867
Santa Barbara|MX|2680|-10582
Katakwi|UG|189|3397
Miles City|US|4641|-10584
Aleg|MR|1706|-1391
Charters Towers|AU|-2008|14626
Singleton|AU|-3257|15116
Mwinilunga|ZM|-1174|2444
El Fuerte|MX|2642|-10862
Kirs|RU|5931|5225
Alliance|US|4210|-10287
Gwanda|ZW|-2094|2901
Muisne|EC|61|-8002
Crookston|US|4777|-9661
Villa Ahumada|MX|3061|-10651
Yeghegnadzor|AM|3976|4533
Biryusinsk|RU|5596|9781
Montpelier|US|4426|-7258|Vermont
Obando|CO|385|-6791
Katherine|AU|-1447|13227
Muswellbrook|AU|-3227|15089
Santa Cruz|EC|-53|-9035
Ndalatando|AO|-930|1491
Shannon|IE|5270|-886
Dalnegorsk|RU|4454|13552
Bethanie|NA|-2650|1715
Ketchikan|US|5536|-13166
Putina|PE|-1547|-6943
Socorro|US|3406|-10690
Halacho|MX|2048|-9008
Sitka|US|5706|-13533
Masindi-Port|UG|170|3207
Magdagachi|RU|5345|12580
Puerto Aisen|CL|-4540|-7270
Pokrovsk|RU|6149|12913
Moree|AU|-2947|14983
Uliastay|MN|4775|9682
Puerto Carreno|CO|619|-6749
McCook|US|4021|-10063
Powell River|CA|4988|-12455
Winnemucca|US|4097|-11773
Kilindoni|TZ|-792|3965
Pecos|US|3142|-10350
Bajram Curri|AL|4233|2008
Valparaiso|MX|2277|-10357
Robertsport|LR|675|-1137
Senmonorom|KH|1245|10720
Gracias|HN|1458|-8858
Port Maria|JM|1838|-7690
Oakleigh|AU|-3791|14510
Erseke|AL|4033|2068
San Juan Bautista|PY|-2668|-5715
Grafton|AU|-2971|15294
Dryden|CA|4978|-9283
Dilolo|CD|-1070|2233
London|US|3713|-8408
Canatlan|MX|2452|-10478
Kodiak|US|5779|-15241
Ewo|CG|-88|1482
Chosan|KP|4083|12580
Falmouth|JM|1848|-7766
Kasane|BW|-1781|2515
Maridi|SS|492|2948
Kalabo|ZM|-1499|2268
Abong Mbang|CM|398|1318
Castillos|UY|-3417|-5383
Las Lomitas|AR|-2470|-6060
Balancan|MX|1780|-9153
Namanga|KE|-254|3680
Bentiu|SS|923|2983
Guide|CN|3605|10142
Prieska|ZA|-2966|2273
Revelstoke|CA|5100|-11818
Olmos|PE|-598|-7975
Oshikango|NA|-1740|1588
Roatan|HN|1633|-8652
An Nabk|SA|3133|3733
Kingaroy|AU|-2654|15184
Colesberg|ZA|-3072|2510
Emerald|AU|-2351|14817
Victor Harbor|AU|-3556|13862
Chegdomyn|RU|5112|13302
Chinsali|ZM|-1055|3206
Stans|CH|4695|838
Gaoual|GN|1175|-1321
Colac|AU|-3834|14358
Almirante|PA|930|-8240
Fort Stockton|US|3089|-10288
Yarmouth|CA|4383|-6611
Moengo|SR|563|-5441
Mahmud-E Eraqi|AF|3502|6933
Merowe|SD|1848|3182
Carnarvon|AU|-2490|11365
Keflavík|IS|6402|-2257
Reyes|BO|-1431|-6737
Susuman|RU|6278|14817
Trujillo|HN|1591|-8596
Moranbah|AU|-2200|14804
Ndele|CF|841|2065
San Pedro|PY|-2409|-5708
Luan Chau|VN|2174|10334
Goranboy|AZ|4061|4679
Salum|EG|3157|2515
Devils Lake|US|4811|-9886
Richfield|US|3877|-11208
Oldeani|TZ|-335|3555
Vicente Guerrero|MX|3076|-11601
Illizi|DZ|2648|847
Bossembele|CF|527|1765
Kaoma|ZM|-1478|2480
Gamba|GA|-265|1000
Salaverry|PE|-822|-7899
Oranjemund|NA|-2855|1643
Esperance|AU|-3386|12189
Carhue|AR|-3718|-6273
Bestobe|KZ|5250|7310
Lobamba|SZ|-2647|3120
Kaiapoi|NZ|-4338|17264
Soro|DK|5543|1157
Ayr|AU|-1957|14740
Parkes|AU|-3313|14817
Okandja|GA|-68|1378
Wick|GB|5843|-308
Tayynsha|KZ|5385|6976
Pedro Luro|AR|-3948|-6268
Esil|KZ|5196|6638
Cherlak|RU|5416|7482
Quellon|CL|-4310|-7360
Melekeok|PW|749|13463
Hamilton|AU|-3773|14202
Valdez|EC|127|-7899
Nicuadala|MZ|-1761|3682
Calbuco|CL|-4175|-7314
Nakasongola|UG|131|3246
Karibib|NA|-2194|1585
Banff|CA|5118|-11557
Oguz|AZ|4107|4746
Vallegrande|BO|-1849|-6411
Inverell|AU|-2977|15111
Zhanibek|KZ|4943|4688
Raton|US|3690|-10444
Ulladulla|AU|-3535|15047
Rosario|BR|-294|-4426
Khandyga|RU|6267|13560
Farim|GW|1249|-1523
Parry Sound|CA|4533|-8003
Kishkenekol|KZ|5364|7234
Golfito|CR|865|-8315
Dalhart|US|3606|-10252
Kirensk|RU|5779|10811
Lander|US|4283|-10873
Tagum|PH|738|12580
Timiryazevskiy|RU|5649|8490
Gorom Gorom|BF|1445|-23
Biltine|TD|1453|2092
Stephenville|CA|4855|-5857
Oamaru|NZ|-4510|17097
Springbok|ZA|-2967|1788
Ghadamis|LY|3013|950
Zixing|CN|2597|11340
Awjilah|LY|2911|2129
Bir Anzarane|MA|2388|-1453
Horta|PT|3853|-2864
Cankuzo|BI|-317|3052
Kenai|US|6055|-15126
Jimani|DO|1849|-7185
Chilca|PE|-1252|-7674
Khilok|RU|5135|11045
Quirihue|CL|-3628|-7253
Sodankylä|FI|6742|2660
Puke|AL|4203|1988
Belen|PY|-2347|-5724
Skovorodino|RU|5398|12392
Bocas del Toro|PA|934|-8225
Truth or Consequences|US|3313|-10725
Mongomo|GQ|163|1132
Ingeniero Guillermo N. Juarez|AR|-2390|-6185
Yeppoon|AU|-2313|15076
Coracora|PE|-1502|-7379
Alpine|US|3036|-10367
Young|AU|-3431|14829
Melut|SS|1043|3220
Ironwood|US|4646|-9016
Sembe|CG|164|1458
Punta Gorda|BZ|1610|-8881
La Sarre|CA|4880|-7920
Outjo|NA|-2011|1614
San Carlos|PH|1055|12338
San Matias|BO|-1636|-5842
Tillamook|US|4546|-12384
Dalaba|GN|1066|-1227
Ban Houayxay|LA|2028|10041
Verkhnevilyuysk|RU|6345|12032
El Calafate|AR|-5033|-7230
Fort Nelson|CA|5882|-12253
Ertis|KZ|5335|7545
Ghanzi|BW|-2170|2164
Lucea|JM|1844|-7818
Leeton|AU|-3454|14640
Gunnison|US|3854|-10693
Igarka|RU|6747|8658
Needles|US|3485|-11461
Diekirch|LU|4988|617
Sidney|US|4114|-10298
Goundam|ML|1642|-367
Rinconada|AR|-2243|-6617
Gunnedah|AU|-3099|15026
Flin Flon|CA|5477|-10188
Brandfort|ZA|-2870|2647
Brokopondo|SR|504|-5502
Gizo|SB|-810|15684
Siteki|SZ|-2645|3195
Doctor Pedro P. Pena|AR|-2248|-6230
Atherton|AU|-1727|14547
Umba|RU|6668|3435
Iqaluit|CA|6375|-6850
Bathurst|AU|-3342|14957
Narrabri|AU|-3033|14979
Kirundo|BI|-258|3010
Dinguiraye|GN|1130|-1073
Powell|US|4476|-10876
Houlton|US|4613|-6784
Chepes|AR|-3135|-6660
Deniliquin|AU|-3553|14495
Phongsali|LA|2168|10210
Ingham|AU|-1865|14617
Urubamba|PE|-1330|-7212
Tazovskiy|RU|6747|7870
Port St. Johns|ZA|-3163|2953
Muineachan|IE|5425|-697
Maintirano|MG|-1807|4402
Mitu|CO|120|-7017
Rabaul|PG|-421|15214
Antigonish|CA|4563|-6200
Mundybash|RU|5323|8732
Tessalit|ML|2020|109
Kargat|RU|5520|8028
Neiafu|TO|-1865|-17398
Kontcha|CM|797|1223
Aiquile|BO|-1819|-6518
Smithers|CA|5477|-12717
Maryborough|AU|-3705|14373|Victoria
Douglas|US|4276|-10538|Wyoming
Kirkwall|GB|5897|-295
Lorengau|PG|-203|14728
Eyumojok|CM|575|898
Carnarvon|ZA|-3095|2213
Fderik|MR|2268|-1271
Bilibino|RU|6805|16633
Piggs Peak|SZ|-2596|3125
Vegreville|CA|5350|-11205
Cowra|AU|-3383|14868
Ingeniero Jacobacci|AR|-4130|-6958
Tiksi|RU|7163|12883
Komsomolets|KZ|5375|6205
Chadron|US|4283|-10300
Glarus|CH|4705|907
Childress|US|3442|-10021
Cooma|AU|-3624|14912
Appenzell|CH|4733|942
Kerema|PG|-793|14584
Birao|CF|1028|2278
Beni Ounif|DZ|3205|-125
Kasempa|ZM|-1346|2582
Batemans Bay|AU|-3569|15021
Lerwick|GB|6015|-115
Vossavangen|NO|6063|644
Okhotsk|RU|5938|14322
Dombarovskiy|RU|5075|5954
Vilyuysk|RU|6376|12162
Saravan|LA|1572|10643
Caazapa|PY|-2620|-5638
Norway House|CA|5397|-9783
Mali|GN|1208|-1230
Ararat|AU|-3728|14291
Stettler|CA|5233|-11268
Tura|RU|6428|10025
Bethel|US|6079|-16176
San Ramon|BO|-1329|-6471
San Quintin|MX|3048|-11595
Cuencame|MX|2487|-10370
Usakos|NA|-2200|1558
Mudgee|AU|-3259|14958
Bulaevo|KZ|5491|7044
Aqadyr|KZ|4827|7286
Qaminis|LY|3166|2002
Queenstown|NZ|-4503|16866
Northam|AU|-3166|11665
La Esperanza|HN|1433|-8817
Moab|US|3857|-10955
Hohenau|PY|-2708|-5575
Bathurst|CA|4760|-6565
28 de Noviembre|AR|-5165|-7230
Kieta|PG|-622|15563
Olovyannaya|RU|5095|11557
Glendive|US|4711|-10471
Turgay|KZ|4963|6350
San Carlos|BO|-1740|-6373
Tucumcari|US|3517|-10373
Polygyros|GR|4038|2345
Gar|CN|3220|7998
Quibala|AO|-1073|1498
Byron Bay|AU|-2866|15361
Kununurra|AU|-1577|12873
Sisimiut|GL|6695|-5367
Lascano|UY|-3367|-5420
Ferfer|SO|509|4517
New Liskeard|CA|4750|-7967
Kalangala|UG|-31|3222
Kibale|UG|80|3107
Xiangkhoang|LA|1933|10337
Sarmiento|AR|-4560|-6908
Huize|CN|2635|10342
Falfurrias|US|2723|-9814
Vadsø|NO|7010|2977
Chernyshevskiy|RU|6301|11247
Combarbala|CL|-3118|-7100
Kachiry|KZ|5308|7609
Shar|KZ|4960|8105
Puerto Baquerizo Moreno|EC|-90|-8960
Desaguadero|PE|-1656|-6904
Teyateyaneng|LS|-2915|2775
Meadow Lake|CA|5413|-10843
Polson|US|4769|-11416
Karasburg|NA|-2802|1874
San Juan del Sur|NI|1125|-8586
Selfoss|IS|6393|-2100
McMinns Lagoon|AU|-1253|13105
Homer|US|5964|-15155
Kapoeta|SS|477|3359
Peace River|CA|5623|-11728
La Victoria|PY|-2229|-5794
Punakha|BT|2763|8983
Qasr Farafra|EG|2707|2797
Wangdue Prodrang|BT|2743|8992
Zambezi|ZM|-1354|2311
Nephi|US|3971|-11184
Artemovsk|RU|5435|9344
Ust Kamchatsk|RU|5621|16243
El Alamein|EG|3082|2895
Nieuw Amsterdam|SR|591|-5507
The Pas|CA|5382|-10123
Qarqaraly|KZ|4942|7546
Hearst|CA|4970|-8367
Tumut|AU|-3531|14822
Ros Comain|IE|5363|-818
Opuwo|NA|-1806|1382
Cubal|AO|-1304|1424
Pevek|RU|6970|17031
Shira|RU|5449|8995
Creston|CA|4910|-11652
Tranqueras|UY|-3120|-5575
Turukhansk|RU|6584|8795
Makhambet|KZ|4767|5158
Grand Turk|TC|2147|-7114
Puerto Lempira|HN|1526|-8377
Funafuti|TV|-852|17922
Uncia|BO|-1847|-6657
Suntar|RU|6214|11763
Camargo|BO|-2064|-6521
Tula|MX|2300|-9972
Bagdarin|RU|5443|11360
Klaksvik|FO|6224|-654
Cobram|AU|-3592|14565
Bansang|GM|1343|-1465
Palikir|FM|692|15815
Sangar|RU|6392|12747
Betanzos|BO|-1956|-6545
Marathon|CA|4875|-8637
Scone|AU|-3208|15085
Stawell|AU|-3706|14276
Makarov|RU|4863|14280
Sioux Lookout|CA|5026|-9192
Otavi|NA|-1964|1734
Roma|AU|-2656|14879
Berri|AU|-3428|14060
Bar Harbor|US|4439|-6820
Abra Pampa|AR|-2272|-6570
Aktau|KZ|4362|5124
Wonthaggi|AU|-3861|14559
Victorica|AR|-3622|-6545
Willcox|US|3225|-10983
Cochrane|CA|4907|-8102
Cochrane|CL|-4727|-7255
Ilulissat|GL|6922|-5110
La Paz|AR|-3347|-6755
Biloela|AU|-2439|15050
Qusmuryn|KZ|5246|6460
Liverpool|CA|4404|-6472
Kindersley|CA|5147|-10913
Mitla|MX|1692|-9640
Happy Valley - Goose Bay|CA|5330|-6030
La Cruz|CR|1107|-8563
Attapu|LA|1481|10684
Bekiy|MG|-2422|4532
Comandante Fontana|AR|-2533|-5968
Bayghanin|KZ|4869|5587
El Maiten|AR|-4205|-7117
Batagay|RU|6766|13464
Kyaukphyu|MM|1943|9355
Goodland|US|3935|-10171
Goondiwindi|AU|-2855|15033
Sokolo|ML|1473|-613
Bishop|US|3736|-11839
Black River|JM|1803|-7785
Melville|CA|5093|-10280
Poffader|ZA|-2913|1938
Dillon|US|4522|-11268
San Javier|BO|-1629|-6250
Omsukchan|RU|6253|15580
Svolvær|NO|6823|1457
Osakarovka|KZ|5058|7257
Apolo|BO|-1472|-6842
Novyy Uoyin|RU|5613|11173
Ndende|GA|-238|1138
Bensonville|LR|643|-1060
Forbes|AU|-3339|14802
Brus Laguna|HN|1575|-8448
Xinguara|BR|-710|-4995
Araouane|ML|1890|-353
Manjimup|AU|-3423|11615
San Antonio de los Cobres|AR|-2418|-6635
Mitzik|GA|78|1157
Mayumba|GA|-342|1065
Narrogin|AU|-3293|11717
Proserpine|AU|-2042|14858
Hardin|US|4573|-10761
Zholymbet|KZ|5175|7171
St-Augustin|CA|5124|-5865
Grevenmacher|LU|4970|633
Wabag|PG|-549|14372
Deer Lake|CA|4917|-5743|Newfoundland and Labrador
Mbe|CM|785|1360
Witu|KE|-238|4043
Kerma|SD|1963|3042
Tobol|KZ|5270|6257
Ely|US|3925|-11489|Nevada
Shonzhy|KZ|4354|7947
Vitim|RU|5945|11256
Kimhyonggwon|KP|4082|12816
Sapouy|BF|1155|-177
Esperanza|MX|2758|-10993
Hay River|CA|6085|-11570
Perito Moreno|AR|-4660|-7093
Windsor|CA|4498|-6413|Nova Scotia
Vergara|UY|-3293|-5395
Deer Lake|CA|5262|-9407|Ontario
Mt. Shasta|US|4131|-12231
Teli|RU|5103|9023
Ulaan-Uul|MN|4433|11123
Manica|MZ|-1897|3288
Cherskiy|RU|6875|16133
Santo Tomas|PE|-1446|-7208
Golela|SZ|-2730|3190
Seymour|AU|-3703|14513
Ely|US|4790|-9183|Minnesota
Palana|RU|5908|15995
Brownsweg|SR|502|-5517
Rosario|PY|-2442|-5710
Zyryanka|RU|6574|15089
Atikokan|CA|4875|-9162
De Kastri|RU|5147|14078
Finnsnes|NO|6924|1801
Merimbula|AU|-3690|14990
Georgetown|GM|1355|-1477
Dehibat|TN|3202|1070
Chapaev|KZ|5019|5114
Ciudad Cortes|CR|896|-8353
Jasper|CA|5288|-11808
Gaspe|CA|4884|-6449
Santa Barbara|CL|-3767|-7202
Tennant Creek|AU|-1965|13420
Srednekolymsk|RU|6745|15371
Magdalena|BO|-1326|-6405
Qazaly|KZ|4576|6211
La Ronge|CA|5510|-10530
Ouadda|CF|807|2240
Barrow|US|7129|-15679
Darregueira|AR|-3770|-6317
Kaberamaido|UG|174|3316
Ugolnye Kopi|RU|6473|17770
Smithton|AU|-4083|14512
Lukulu|ZM|-1439|2324
Gander|CA|4895|-5455
Vanhynsdorp|ZA|-3162|1873
Ligonha|MZ|-1518|3774
Puerto Deseado|AR|-4775|-6590
Krasnogorsk|RU|4846|14209
Bol|TD|1346|1471
Mopipi|BW|-2118|2488
Salmon|US|4518|-11389
Valdez|US|6114|-14635
Sebba|BF|1344|53
Zhigansk|RU|6677|12337
Fort Shevchenko|KZ|4452|5027
Channel-Port aux Basques|CA|4757|-5915
Louang Namtha|LA|2095|10142
Quime|BO|-1698|-6722
Qaqortoq|GL|6073|-4604
Fort Chipewyan|CA|5872|-11115
Groningen|SR|580|-5548
Khatanga|RU|7204|10247
Derby|AU|-1730|12397
Caballococha|PE|-392|-7051
Thermopolis|US|4365|-10821
Mekambo|GA|102|1393
Glasgow|US|4818|-10664
Katanning|AU|-3370|11755
Anna Regina|GY|727|-5850
Buur Gaabo|SO|-120|4185
Mobridge|US|4554|-10043
Luangwa|MZ|-1562|3041
Ust Maya|RU|6046|13454
In Amguel|DZ|2369|516
Central Coast|AU|-3342|15130
Charagua|BO|-1980|-6322
Inuvik|CA|6835|-13370
Nome|US|6451|-16541
Taoudenni|ML|2267|-398
Digby|CA|4462|-6576
San Lorenzo|BO|-2148|-6477
Qal eh-ye Now|AF|3498|6313
Saranpaul|RU|6425|6097
Mandalgovi|MN|4575|10627
Mabaruma|GY|820|-5978
General Conesa|AR|-4010|-6443
Lac La Biche|CA|5477|-11196
Samaipata|BO|-1818|-6377
Pampa del Infierno|AR|-2652|-6117
Seward|US|6013|-14947
La Paloma|UY|-3467|-5417
Bongandanga|CD|151|2105
Longreach|AU|-2345|14425
Lillooet|CA|5068|-12193
Kotzebue|US|6690|-16260
Kanab|US|3705|-11253
Villalonga|AR|-3988|-6258
Weipa|AU|-1267|14187
Mongbwalu|CD|195|3003
Kailu|CN|4358|12120
Ygatimi|PY|-2408|-5550
Abai|PY|-2603|-5594
Sinnamary|GF|538|-5296
Montpelier|US|4232|-11130|Idaho
George Town|KY|1928|-8133
Port Burwell|CA|6027|-6474
Arroyos y Esteros|PY|-2505|-5709
Kerewan|GM|1349|-1609
Hlatikulu|SZ|-2700|3142
Barclayville|LR|480|-817
Clare|AU|-3383|13860
Kirkenes|NO|6973|3005
Tonantins|BR|-287|-6780
Entre Rios|BO|-2153|-6419
Newman|AU|-2337|11973
Chapleau|CA|4783|-8340
Nautla|MX|2022|-9678
Mistassini|CA|5042|-7387
Burns Lake|CA|5422|-12577
Aigua|UY|-3420|-5475
Rørvik|NO|6487|1121
Yomou|GN|757|-927
Rivercess|LR|546|-958
Chumbicha|AR|-2887|-6623
Mkokotoni|TZ|-588|3926
Garoowe|SO|840|4850
Huasco|CL|-2847|-7122
Shelburne|CA|4377|-6532
Parowan|US|3784|-11283
Rarotonga|CK|-2125|-15975
Gobernador Gregores|AR|-4877|-7025
Chokurdakh|RU|7062|14789
Nelson House|CA|5580|-9885
Nata|BW|-2021|2619
Bourke|AU|-3010|14593
Fuerte Olimpo|PY|-2107|-5790
Mezen|RU|6585|4424
Palopo|ID|-310|12024
Wallaroo|AU|-3393|13763
Jose Batlle y Ordonez|UY|-3347|-5512
Baltasar Brum|UY|-3073|-5732
Baures|BO|-1358|-6358
Severo Kurilsk|RU|5069|15609
Rankin Inlet|CA|6282|-9210
Athabasca|CA|5472|-11327
Uspallata|AR|-3259|-6935
El Dorado|VE|673|-6163
Puerto Williams|CL|-5493|-6762
Karungu|KE|-85|3415
Yuscaran|HN|1394|-8685
Maria Elena|CL|-2235|-6967
Maradah|LY|2923|1922
Tarabuco|BO|-1918|-6492
Coroico|BO|-1619|-6772
Dondo|AO|-969|1443
Jurado|CO|712|-7776
Puerto San Julian|AR|-4930|-6772
Sohano|PG|-543|15467
Prudhoe Bay|US|7029|-14867
Boffa|GN|1019|-1404
Saryshaghan|KZ|4612|7362
Maltahöhe|NA|-2484|1694
Muconda|AO|-1060|2132
Gimli|CA|5063|-9700
Lead|US|4435|-10377
Nauta|PE|-457|-7378
Port Hardy|CA|5072|-12750
Tolten|CL|-3922|-7321
Padilla|BO|-1930|-6431
Mariscal Estigarribia|PY|-2203|-6061
Nagchu|CN|3148|9205
Egvekinot|RU|6632|-17918
Al Qunaytirah|SY|3313|3582
Donegal|IE|5465|-812
Mwenga|CD|-304|2843
El Manteco|VE|735|-6253
Stanley|FK|-5170|-5785
Sauðárkrókur|IS|6575|-1964
Sorata|BO|-1579|-6866
Wiarton|CA|4473|-8113
Wawa|CA|4800|-8478
White Sulphur Springs|US|3779|-8030
Hokitika|NZ|-4273|17097
Pozo Colorado|PY|-2343|-5886
Apalachicola|US|2973|-8499
Biggar|CA|5205|-10798
Orocue|CO|479|-7134
Kitty Hawk|US|3608|-7570
Onverwacht|SR|560|-5520
Roura|GF|473|-5233
Merredin|AU|-3148|11827
Mejillones|CL|-2310|-7045
Evensk|RU|6195|15923
Gila Bend|US|3295|-11272
Port Douglas|AU|-1648|14546
Konza|KE|-175|3712
Puerto Villamil|EC|-93|-9102
Tonopah|US|3807|-11723
Bordertown|AU|-3632|14077
Leikanger|NO|6118|685
Plumtree|ZW|-2048|2782
Marka|SO|178|4485
Katwe|UG|-13|2992
Ísafjörður|IS|6608|-2315
Amapa|BR|205|-5080
Lehututu|BW|-2397|2187
Unalaska|US|5387|-16653
Bukachacha|RU|5298|11692
Abuna|BR|-970|-6536
Saskylakh|RU|7192|11408
Hudson Bay|CA|5285|-10238
Charleville|AU|-2640|14625
Westport|NZ|-4177|17157
Yazdan|IR|3351|6089
Coro Coro|BO|-1717|-6845
Taedong|KP|4062|12545
Arviat|CA|6111|-9406
Paamiut|GL|6200|-4964
Beringovskiy|RU|6307|17931
La Palma|PA|840|-7814
Tasiilaq|GL|6560|-3763
Paso Rio Mayo|AR|-4568|-7027
Egilsstaðir|IS|6527|-1439
Tom Price|AU|-2269|11779
Monticello|US|3787|-10934
Yamba|AU|-2942|15335
Attawapiskat|CA|5292|-8243
Van Horn|US|3104|-10483
Al Bayda|LY|3276|2162
Tumby Bay|AU|-3438|13608
Novy Port|RU|6770|7293
Borgarnes|IS|6457|-2186
Calais|US|4517|-6724
Puerto Villarroel|BO|-1687|-6478
Mount Barker|AU|-3463|11767
Red Lake|CA|5103|-9383
Capitol Hill|MP|1521|14575
Nokaneng|BW|-1967|2227
Provideniya|RU|6442|-17323
Al Jaghbub|LY|2975|2452
Nasir|SS|860|3307
Moosonee|CA|5128|-8066
El Qasr|EG|2570|2888
Dillingham|US|5906|-15848
Hofn|IS|6427|-1521
Scottsdale|AU|-4115|14752
Labutta|MM|1616|9470
Omboue|GA|-157|925
Wrangell|US|5647|-13237
Queenstown|AU|-4208|14555
Tofino|CA|4915|-12590
Hudur|SO|418|4387
Cordova|US|6054|-14576
Igloolik|CA|6926|-8179
Mato Grosso|BR|-1500|-5995
Trancas|AR|-2622|-6528
Inukjuak|CA|5847|-7814
Little Current|CA|4597|-8193
Baker Lake|CA|6432|-9602
Chiradzulu|MW|-1570|3518
Matagami|CA|4975|-7763
Saint-Georges|GF|391|-5181
Pond Inlet|CA|7268|-7800
Alto Rio Sanguer|AR|-4503|-7083
Kalbarri|AU|-2767|11417
Geita|TZ|-287|3217
Manja|MG|-2143|4433
Kipili|TZ|-743|3060
Sierra Colorado|AR|-4058|-6780
Ust Kuyga|RU|7002|13560
Eldikan|RU|6080|13518
Penola|AU|-3738|14082
Chibemba|AO|-1575|1408
Tajarhi|LY|2437|1447
Bu'aale|SO|108|4258
Nuqui|CO|569|-7727
Dawwah|OM|2063|5891
Cambridge Bay|CA|6912|-10503
Alexander Bay|ZA|-2861|1650
Cap-Chat|CA|4910|-6668
Lokhwabe|BW|-2417|2183
Totness|SR|589|-5632
Kumaka|GY|390|-5838
Gingin|AU|-3135|11590
John Day|US|4442|-11895
Ayoun el Atrous|MR|1667|-962
Machinga|MW|-1497|3552
Thessalon|CA|4625|-8355
Chibia|AO|-1519|1369
Tsau|BW|-2016|2246
Bella Bella|CA|5215|-12812
Tombstone|US|3171|-11007
Verkhoyansk|RU|6754|13338
Cobalt|CA|4738|-7968
Peterborough|AU|-3297|13883
Qardho|SO|950|4917
Qasigiannguit|GL|6882|-5118
Cape Dorset|CA|6431|-7654
Pangnirtung|CA|6613|-6575
Dawson City|CA|6407|-13942
Lubutu|CD|-73|2658
Fulacunda|GW|1177|-1519
Cangamba|AO|-1370|1986
Chumikan|RU|5471|13531
Tarutung|ID|202|9897
Kugluktuk|CA|6780|-11513
Uummannaq|GL|7068|-5212
Geraldton|CA|4972|-8697
Ayan|RU|5645|13817
Gillam|CA|5635|-9470
Kuujjuaq|CA|5810|-6840
Villa Rumipal|AR|-3218|-6448
Ceduna|AU|-3210|13366
San Vicente del Caguan|CO|207|-7464
Lake Louise|CA|5143|-11618
Kuujjuarapik|CA|5528|-7777
Longyearbyen|SJ|7822|1555
Las Lajas|AR|-3852|-7037
Port Denison|AU|-2928|11492
Quissico|MZ|-2473|3477
Halls Creek|AU|-1827|12777
Celeken|TM|3944|5312
Nipigon|CA|4902|-8825
Cloncurry|AU|-2070|14050
San Rafael|BO|-1678|-6068
Capitan Pablo Lagerenza|PY|-1992|-6078
Buluko|CD|-76|2853
Nacunday|PY|-2602|-5477
Oatlands|AU|-4230|14737
Winton|AU|-2240|14303
Santo Antonio|ST|165|741
Nain|CA|5655|-6169
Sixaola|CR|952|-8262
Los Blancos|AR|-2360|-6260
Kaabong|UG|352|3412
Upernavik|GL|7271|-5614
Puerto Acosta|BO|-1550|-6917
Mirbat|OM|1699|5469
Dickson|RU|7351|8055
Gjoa Haven|CA|6863|-9592
Susques|AR|-2342|-6648
Klyuchi|RU|5630|16085
Exmouth|AU|-2193|11412
Talkeetna|US|6232|-15011
Fort McPherson|CA|6749|-13489
Grand Canyon|US|3605|-11214
Barcaldine|AU|-2357|14528
Argentia|CA|4730|-5399
Denali Park|US|6373|-14891
Omolon|RU|6525|16050
Fulin|CN|2935|10272
Soroti|UG|171|3360
Wagin|AU|-3330|11735
Wallace|US|4747|-11593
Besalampy|MG|-1675|4448
Sica Sica|BO|-1733|-6773
Norseman|AU|-3220|12177
Kotlit|US|6303|-16355
Yelimane|ML|1513|-1057
Cacolo|AO|-1015|1926
Juina|BR|-1140|-5950
General Eugenio Alejandrino Garay|PY|-2052|-6221
Churchill|CA|5877|-9417
Principe da Beira|BR|-1242|-6442
Jaque|PA|752|-7817
Skagway|US|5946|-13531
Cuevo|BO|-2045|-6353
Govorovo|RU|7021|12599
Tarapoto|PE|-651|-7648
Dirj|LY|3017|1046
Yulara|AU|-2524|13099
Ouyen|AU|-3507|14232
Tuktoyaktuk|CA|6945|-13305
Chelyuskin|RU|7772|10425
Iracoubo|GF|548|-5322
Repulse Bay|CA|6653|-8628
Hoskins|PG|-547|15041
Shamattawa|CA|5585|-9208
San Juan de Nicaragua|NI|1092|-8370
Luanza|CD|-870|2870
Baddeck|CA|4610|-6075
Meningie|AU|-3570|13933
Coral Harbour|CA|6415|-8318
Fort Yukon|US|6656|-14527
Selawik|US|6660|-16001
Vatican City|VA|4190|1245
Georgetown|AU|-1830|14353
La Scie|CA|4997|-5558
Nyimba|ZM|-1455|3081
Watson Lake|CA|6012|-12880
Bavaro|DO|1872|-6845
Calulo|AO|-1000|1490
Uelen|RU|6615|-16981
Taloyoak|CA|6953|-9353
Mohembo|BW|-1830|2180
Mountain Village|US|6209|-16373
Altata|MX|2464|-10792
Yerema|RU|6038|10778
Comallo|AR|-4103|-7027
Unalakleet|US|6387|-16079
Wyndham|AU|-1537|12836
Natashquan|CA|5019|-6181
Satadougou|ML|1262|-1141
Rodeo|AR|-3022|-6914
Serebryansk|KZ|4970|8342
Zhaltyr|KZ|5163|6983
Pannawonica|AU|-2164|11633
Buchans|CA|4882|-5687
Gambell|US|6378|-17173
Linxi|CN|4352|11803
Sand Point|US|5534|-16050
Djanet|DZ|2455|948
Lavrentiya|RU|6558|-17102
Hall Beach|CA|6877|-8124
Meekatharra|AU|-2660|11848
Norman Wells|CA|6528|-12685
Ravensthorpe|AU|-3358|12003
Kimba|AU|-3315|13643
Massangena|MZ|-2154|3296
Calatrava|GQ|112|942
Hooper Bay|US|6153|-16610
Streaky Bay|AU|-3281|13421
Las Plumas|AR|-4342|-6725
Arctic Bay|CA|7303|-8517
Dibaya|CD|-651|2287
Panda|MZ|-2406|3473
McMurdo Station|AQ|-7773|16687
Tunduru|TZ|-1109|3737
Ype Jhu|PY|-2391|-5546
Fort Good Hope|CA|6627|-12863
Big Delta|US|6415|-14584
Mingan|CA|5030|-6402
Tinogasta|AR|-2807|-6757
Onslow|AU|-2166|11510
Sabaya|BO|-1902|-6838
Mikhalkino|RU|6942|16148
Ubomba|ZA|-2757|3208
Quilpie|AU|-2662|14425
Gastre|AR|-4228|-6923
Chiramba|MZ|-1689|3466
Kangerlussuaq|GL|6701|-5071
Lata|SB|-1074|16586
Llica|BO|-1985|-6825
Kangirsuk|CA|6002|-7000
Mendocino|US|3931|-12380
Mereeg|SO|377|4730
Sandspit|CA|5324|-13183
Cowell|AU|-3368|13692
Calucinga|AO|-1132|1620
Andamooka|AU|-3043|13717
Punta Prieta|MX|2893|-11417
Berens River|CA|5237|-9703
Fort Smith|CA|6000|-11188
Caluula|SO|1197|5075
Tournavista|PE|-893|-7471
Cartwright|CA|5370|-5701
Pine Creek|AU|-1382|13182
Aniak|US|6158|-15952
Telsen|AR|-4240|-6695
Mys Shmidta|RU|6893|-17950
Oymyakon|RU|0|0
Galena|US|6473|-15693
Lynn Lake|CA|5685|-10105
Puerto Pinasco|PY|-2264|-5779
Schefferville|CA|5480|-6682
Ittoqqortoormiit|GL|7048|-2197
Chitado|AO|-1732|1392
Point Hope|US|6835|-16681
Selibaby|MR|1517|-1218
Eidsvold|AU|-2537|15113
Trout River|CA|4948|-5812
Woomera|AU|-3115|13680
Holman|CA|7073|-11775
Fada|TD|1718|2159
Fort Resolution|CA|6117|-11368
Forteau|CA|5145|-5695
Dhuusa Mareeb|SO|574|4651
Xangongo|AO|-1674|1497
Kullorsuaq|GL|7458|-5722
Hopedale|CA|5545|-6022
Wilcannia|AU|-3157|14338
Qaanaaq|GL|7748|-6933
Pukatawagan|CA|5573|-10132
Cuangar|NA|-1761|1862
Mount Magnet|AU|-2807|11782
Hughenden|AU|-2085|14420
Tsavo|KE|-298|3847
Sherlovaya Gora|RU|5053|11630
Comondante Luis Piedrabuena|AR|-4997|-6890
Yakossi|CF|562|2332
Boulia|AU|-2290|13990
Korf|RU|6033|16582
Trepassey|CA|4674|-5336
Nizhneyansk|RU|7143|13607
Déline|CA|6518|-12342
Espungabera|MZ|-2045|3277
Kimmirut|CA|6285|-6988
Hydaburg|US|5521|-13280
Chonchi|CL|-4261|-7381
Toconao|CL|-2318|-6802
Chesterfield Inlet|CA|6334|-9070
Kivalina|US|6773|-16449
Moroto|UG|254|3464
Akjoujt|MR|1975|-1439
Hoonah|US|5812|-13544
Rio Verde|CL|-5265|-7147
Kaltukatjara|AU|-2579|12900
Lethem|GY|339|-5980
Tununak|US|6059|-16526
Bir Lehlou|EH|2612|-965
Tmassah|LY|2637|1580
Eastmain|CA|5223|-7852
Laverton|AU|-2863|12240
Manyoni|TZ|-578|3490
Basse-terre|GP|1623|-6144
Dease Lake|CA|5845|-13003
Bugrino|RU|6881|4930
Shoyna|RU|6787|4413
Umm al Abid|LY|2752|1503
Cazombo|AO|-1189|2290
Put Lenina|RU|6852|10780
Enurmino|RU|6695|-17182
Richmond|AU|-2072|14313|Queensland
Paulatuk|CA|6938|-12398
Yaupi|EC|-285|-7794
King Salmon|US|5869|-15666
Tanana|US|6517|-15208
Ikela|CD|-118|2327
Kulusuk|GL|6557|-3718
Chevery|CA|5048|-5961
Birdsville|AU|-2590|13937
Fort Simpson|CA|6185|-12133
Amderma|RU|6976|6167
Brochet|CA|5788|-10167
Cat Lake|CA|5172|-9180
Gubkin|RU|5127|3738
Radisson|CA|5378|-7762
Ivanhoe|AU|-3290|14430
Port-Menier|CA|4982|-6435
Morawa|AU|-2922|11600
Ambler|US|6709|-15785
Koyuk|US|6494|-16116
Shishmaref|US|6626|-16607
Quinhagak|US|5975|-16192
Tasiusaq|GL|7337|-5606
Theodore|AU|-2495|15008
Timbedra|MR|1625|-817
Nimule|SS|360|3205
Kenge|CD|-483|1690
Resolute|CA|7468|-9490
Adelaide River|AU|-1325|13110
Togiak|US|5907|-16038
Kanyato|TZ|-446|3026
Abau|PG|-1004|14857
Goodnews Bay|US|5912|-16159
Leonara|AU|-2888|12133
St. Anthony|CA|5138|-5560
Cantwell|US|6339|-14895
Gingoog|PH|883|12513
I-n-Amenas|DZ|2805|955
Kingston South East|AU|-3683|13985
Nuussuaq|GL|7412|-5707
Zouar|TD|2046|1653
Thargomindah|AU|-2800|14382
Atqasuk|US|7047|-15740
Mapai|MZ|-2284|3196
Meander River|CA|5903|-11768
Charana|BO|-1760|-6947
Port Hope Simpson|CA|5253|-5630
Kalima|CD|-251|2643
Kangersuatsiaq|GL|7238|-5555
Kaltag|US|6433|-15872
Three Springs|AU|-2953|11575
Sayhut|YE|1521|5125
Camooweal|AU|-1992|13812
Southern Cross|AU|-3122|11932
Burketown|AU|-1772|13957
Quipungo|AO|-1483|1455
Oxford House|CA|5495|-9527
Bicheno|AU|-4188|14829
Lusanga|CD|-558|1652
Vilanculos|MZ|-2200|3532
Whittier|US|6078|-14868
Hurdiyo|SO|1058|5112
Tsiigehtchic|CA|6743|-13375
Villa O'Higgins|CL|-4847|-7256
Androka|MG|-2502|4407
Wainwright|US|7064|-16004
Karumba|AU|-1748|14083
Vikhorevka|RU|5609|10124
Newhalen|US|5972|-15490
Windorah|AU|-2543|14265
Al Qunfudhah|SA|1913|4108
Ivugivik|CA|6242|-7790
Cold Bay|US|5520|-16272
Esperanza Station|AQ|-6338|-5703
Stony Rapids|CA|5927|-10583
Kobuk|US|6691|-15688
Luiana|AO|-1737|2300
La Esmeralda|VE|317|-6555
Bafwasende|CD|108|2727
Cuito Caunavale|AO|-1516|1917
Progress|RU|4975|12962
Narsarsuaq|GL|6117|-4542
Bedourie|AU|-2435|13947
Telukbutun|ID|422|10820
McGrath|US|6296|-15560
Tanacross|US|6339|-14335
Bifoum|GA|-33|1038
Amundsen–Scott South Pole Station|AQ|-8998|13927
Casey Station|AQ|-6629|11054
Fort Severn|CA|5598|-8765
Rigolet|CA|5418|-5845
Lansdowne House|CA|5222|-8788
Gulkana|US|6227|-14538
Chignik|US|5630|-15840
Base Presidente Montalva|AQ|-6218|-5891
Mirny Station|AQ|-6658|9301
Perryville|US|5592|-15915
Yakutat|US|5955|-13973
Sharbaqty|KZ|5250|7815
Salluit|CA|6218|-7566
Eagle|US|6479|-14120
Marambio Station|AQ|-6423|-5665
Lutselke|CA|6240|-11073
Port Heiden|US|5695|-15863
Kaktovik|US|7009|-14360
Koyukuk|US|6488|-15770
Circle|US|6583|-14406
El Agheila|LY|3026|1920
Emmonak|US|6278|-16452
Lemsid|MA|2655|-1385
Mucusso|AO|-1802|2143
Vorontsovo|RU|7170|8356
Grytviken|GS|-5428|-3651
Mekoryuk|US|6039|-16619
Wales|US|6561|-16809
Alert|CA|8248|-6225
Allakaket|US|6657|-15265
Karluk|US|5757|-15446
Burylbaytal|KZ|4494|7403
Fox Bay|FK|-5195|-6009
Uranium City|CA|5957|-10862
Teller|US|6526|-16636
Hughes|US|6605|-15425
Rothera Station|AQ|-6756|-6812
Churchill Falls|CA|5353|-6398
Dumont d'Urville Station|AQ|-6678|13996
Ituni|GY|543|-5825
Nenana|US|6456|-14909
Nyac|US|6100|-15994
Burwash Landing|CA|6135|-13900
Piso Firme|BO|-1368|-6187
Pilot Point|US|5756|-15757
Savissivik|GL|7602|-6511
Atka|US|5220|-17420
Zucchelli Station|AQ|-7462|16422
Belgrano Station|AQ|-7787|-3462
Mukhomornoye|RU|6642|17333
Nyingchi|CN|2953|9442
King Sejong Station|AQ|-6222|-5877
As Sidr|LY|3067|1827
Dulan|CN|3617|9827
Kingoonya|AU|-3090|13530
Showa Station|AQ|-6903|3975
Scott Base|AQ|-7785|16675
Davis Station|AQ|-6878|7814
Halley Station|AQ|-7609|-2647
Zhongshan Station|AQ|-6943|7634
Capitan Arturo Prat Station|AQ|-6250|-5968
Carlini Station|AQ|-6222|-5865
Mawson Station|AQ|-6761|6288
Neumayer Station III|AQ|-7089|-784
Nuevo Rocafuerte|PE|-93|-7540
False Pass|US|5485|-16342
Novolazarevskaya Station|AQ|-7130|-1185
Artigas Base|AQ|-6217|-5886
Maitri Station|AQ|-7078|1173
Lake Minchumina|US|6388|-15231
Palmer Station|AQ|-6476|-6405
Gen. O'Higgins Station|AQ|-6333|-5789
Orcadas Station|AQ|-6073|-4473
Great Wall Station|AQ|-6222|-5897
Troll Station|AQ|-7202|253
Lumbala Nguimbo|AO|-1410|2144
Red Devil|US|6176|-15731
Grise Fiord|CA|7644|-8295
Camp Sobral|AQ|-8118|-4050
Cuya|CL|-1912|-7013
Escudero Base|AQ|-6219|-5895
Kovda|RU|6669|3287
San Martín Station|AQ|-6812|-6710
Vostok|AQ|-7847|10680
Nikolski|US|5294|-16887
Aboa Station|AQ|-7505|-1342
Concordia Research Station|AQ|-7467|12417
Wiseman|US|6741|-15011
Agapa|RU|7145|8925
Andoas|PE|-290|-7640
Berenice|EG|2395|3548
Big Beaver House|CA|5295|-8988
Bir Mogrein|MR|2523|-1158
Bol'sheretsk|RU|5244|15636
Chagda|RU|6010|13390
Chegga|MR|2538|-578
Dawra|MA|2746|-1299
Djado|NE|2101|1231
El Porvenir|PA|954|-7897
Erldunda|AU|-2523|13320
Gueppi|PE|-12|-7523
Gyda|RU|7088|7847
Hodrogo|MN|4897|9678
Il'pyrskiy|RU|5997|16417
Indiga|RU|6769|4902
Island Lake|CA|5397|-9477
Karamken|RU|6020|15117
Khakhar|RU|5767|13543
Khorgo|RU|7348|11363
Komsa|RU|6187|8926
Krasino|RU|7073|5442
Lagunas|CL|-2098|-6968
Laryak|RU|6110|8025
Magta Lajar|MR|1700|-1350
Manily|RU|6255|16530
Matochkin Shar|RU|7327|5645
Menkere|RU|6799|12335
Mikhaylova|RU|7509|8698
Montana|US|6208|-15007
Natara|RU|6841|12393
Newcastle Waters|AU|-1755|13347
Nord|GL|8172|-1780
Numto|RU|6367|7133
Nyukzha|RU|5653|12161
Olenek|RU|6853|11245
Omchak|RU|6163|14792
Pakhachi|RU|6058|16905
Peregrebnoye|RU|6297|6509
Podkamennaya|RU|6160|9012
Puca Urco|PE|-233|-7192
Puerto Heath|BO|-1250|-6867
Rusanovo|RU|7060|5637
Sagastyr|RU|7338|12659
Shalaurova|RU|7322|14318
Sierra Mojada|MX|2729|-10329
Siglan|RU|5903|15242
Soldado Bartra|PE|-252|-7577
Starorybnoye|RU|7277|10480
Strelka|RU|6187|15225
Terbyas|RU|6438|12055
Timmiarmiut|GL|6253|-4222
Trofimovsk|RU|7260|12703
Tukchi|RU|5737|13950
Tunguskhaya|RU|6490|12525
Ulkan|RU|5590|10778
Uruara|BR|-383|-5403
Ust Olensk|RU|7300|11977
Utkholok|RU|5755|15723
Varnek|RU|6973|6006
Villa Martin|BO|-2077|-6778
Yessey|RU|6848|10217
Zemlya Bunge|RU|7490|14211
Zhilinda|RU|7013|11400
Zillah|LY|2855|1758
Zvezdnyy|RU|7096|-17959
Qeqertasuaq|GL|6924|-5357
Svea Station|AQ|-7458|-1122
Wasa Station|AQ|-7305|-1342
Signy Research Station|AQ|-6063|-4560
Elephant Island|AQ|-6200|-5800
Peter I Island|AQ|-6883|9050
Agdam|AZ|4091|4556
Ambarchik|RU|6965|16233
Chernobyl|UA|5139|3010
Ennadai|CA|6113|-10088
Logashkino|RU|7085|15390
Nordvik|RU|7402|11151
Fortin Falcon|PY|-2305|-5985
Kavache|RU|7073|13622
`,a=8,o=50,s=111,c=new Intl.DisplayNames(n,{type:`region`}),l=t=>e(r)?`\u200F${t.map(e=>`\u2068${e}\u2069`).join(`، `)}`:t.join(`, `),u=i.trim().split(`
`).map(e=>{let[t=``,n=``,r,i,a]=e.split(`|`),o=l([t,a,c.of(n)].filter(Boolean));return{name:o,latitude:Number(r)/100,longitude:Number(i)/100,searched:m(o)}});function d(e){let t=m(e.trim());if(t===``)return[];let n=u.filter(({searched:e})=>e.startsWith(t)).slice(0,a),r=u.filter(({searched:e})=>e.includes(` ${t}`)&&!e.startsWith(t));return[...n,...r].slice(0,a)}function f(e,n){let r,i=o;for(let t of u){let a=p(t,e,n);a<i&&(i=a,r=t)}return r&&(i<1?r.name:t(1679,[`near `,[`name`]],{name:r.name}))}function p(e,t,n){let r=Math.abs(e.longitude-n),i=Math.min(r,360-r)*Math.cos(t*Math.PI/180);return s*Math.hypot(e.latitude-t,i)}function m(e){return e.normalize(`NFKD`).replace(/[\p{Mn}\p{Cf}]/gu,``).toLowerCase()}export{f as n,d as t};