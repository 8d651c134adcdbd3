pragma user_version = 0;
CREATE TABLE phone_library (library text primary key, generation integer not null, about text not null);
CREATE TABLE phone_cn_1 (key blob primary key, risk integer, tags text, first_seen integer, last_active integer, observed_days integer, card text) without rowid;
insert into "phone_library" values ('cn',1,'{"keyId":"a72a9040fd458949","records":5,"dataVersion":"20261128","lastFullAt":1795894653898,"loads":{"full":[1795894653898],"increments":[]}}');
insert into "phone_cn_1" values (X'45337DC5F8E4A3A7FFAC3F925BD02F1D',4,'111',1776445339,1795626139,195,'{"cardType":301}');
insert into "phone_cn_1" values (X'5D20A65C121FB7D815480CD8AA37CB3A',0,'115',1779079214,1791002414,122,NULL);
insert into "phone_cn_1" values (X'7ABBC20E74386C3569D883CCC328543F',1,'110,105',1774485569,1791592769,158,'{"cardType":303}');
insert into "phone_cn_1" values (X'C0032C0FE215BCA6DA0299C1605D2EB2',2,'110',1770605323,1790563723,106,NULL);
insert into "phone_cn_1" values (X'DA72236149E8A2B295B250E532E088B9',6,'115',1765538125,1790334925,126,'{"cardType":302}');
