A title                                                                 KEY     
             3             1             1             1
iza                        3             3             2             0
(4I1)           (2I1)           (2I3)
1233
23
 -7 12
